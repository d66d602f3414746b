/** How the editor looks: the page's own colours, dark or light, which come through the shadow root as CSS variables. Lengths are in rem, as all of the page. */

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const LOOK = EditorView.theme({
  "&": { height: "100%", background: "var(--ground)", color: "var(--text)", fontSize: "var(--code-size, 0.9375rem)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { containerType: "inline-size", fontFamily: "var(--code-font)", lineHeight: "var(--code-line, 1.875rem)", overscrollBehavior: "contain" },
  ".cm-content": { padding: "0.5rem 0", caretColor: "var(--do)", minHeight: "100%" },
  ".cm-line": { padding: "0 0.75rem 0 0.375rem" },
  ".cm-cursor": { borderLeft: "2px solid var(--do)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--selected)" },
  ".cm-activeLine": { background: "var(--here)" },
  ".cm-gutters": { background: "var(--ground)", border: "0", color: "var(--quiet)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "1.625rem", padding: "0 0.375rem 0 0", cursor: "pointer" },
  ".cm-activeLineGutter": { background: "var(--here)", color: "var(--text)" },
  ".cm-markers .cm-gutterElement": { width: "1.125rem", textAlign: "center", cursor: "pointer", fontSize: "0.8125rem" },
  ".cm-moving": { background: "var(--moving)" },
  ".cm-gutterElement.cm-moving": { background: "var(--moving)", color: "var(--do)", fontWeight: "700" },
  ".cm-gutterElement.cm-wrong": { background: "var(--wrong)", color: "var(--bad-text)" },
  ".cm-markers .cm-gutterElement.cm-wrong": { boxShadow: "inset 3px 0 var(--bad)" },
  ".cm-markers .cm-gutterElement.cm-moving": { boxShadow: "inset 3px 0 var(--do)" },
  ".cm-line.cm-wrong": { background: "var(--wrong)" },
  ".cm-at": { textDecoration: "underline wavy var(--bad)", textDecorationSkipInk: "none", textUnderlineOffset: "0.25rem" },
  // As wide as what is seen, not as the longest line: words wrap, and the fix stays in sight.
  ".cm-said": { whiteSpace: "normal", overflowWrap: "anywhere", position: "sticky", left: "3.25rem", width: "calc(100cqw - 4.875rem)", boxSizing: "border-box", padding: "2px 0.5rem 0.5rem 0.375rem", color: "var(--bad-text)", font: "0.875rem/1.4 var(--words-font)", display: "flex", gap: "0.25rem 0.625rem", flexWrap: "wrap", alignItems: "center" },
  ".cm-said button": {
    font: "inherit", color: "var(--bad-text)", background: "none", border: "1px solid var(--bad)", borderRadius: "0.5rem", minHeight: "2.875rem", padding: "2px 0.875rem", cursor: "pointer", fontWeight: "700",
  },
  ".cm-said button:hover": { background: "var(--wrong)" },
  ".cm-said button:focus-visible": { outline: "3px solid var(--would)", outlineOffset: "2px" },
  ".cm-markers .moving": { color: "var(--do)" },
  ".cm-markers .reading": { color: "var(--would)" },
  ".cm-markers .start": { color: "var(--do)" },
  ".cm-tooltip": { background: "var(--panel)", border: "1px solid var(--line)", borderRadius: "0.625rem", overflow: "hidden", color: "var(--text)", boxShadow: "0 0.5rem 1.875rem #0006" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--code-font)", maxHeight: "16.25rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0 0.75rem", minHeight: "var(--option, 2rem)", lineHeight: "var(--option, 2rem)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--do)", color: "var(--do-text)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.75", fontStyle: "normal", fontFamily: "var(--words-font)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-panels": { background: "var(--panel)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { padding: "0.5rem", fontFamily: "var(--words-font)" },
  ".cm-textfield": { background: "var(--raised)", border: "1px solid var(--line)", borderRadius: "0.5rem", minHeight: "2.875rem", fontSize: "0.875rem", color: "inherit" },
  ".cm-button": { background: "var(--raised)", border: "1px solid var(--line)", borderRadius: "0.5rem", minHeight: "2.875rem", fontSize: "0.875rem", color: "inherit", backgroundImage: "none" },
  ".cm-searchMatch": { background: "var(--selected)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { background: "var(--selected)", outline: "none" },
});

// Orange leads the program, blue moves the robot, violet is what has a value; nothing else is coloured.
const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)" },
  { tag: tags.meta, color: "var(--quiet)" },
  { tag: tags.unit, color: "var(--quiet)" },
  { tag: tags.keyword, color: "var(--do)" },
  { tag: tags.typeName, color: "var(--would)" },
  { tag: tags.variableName, color: "var(--value)" },
  { tag: tags.string, color: "var(--value)" },
  { tag: tags.invalid, color: "var(--bad-text)" },
]);

export const THEME: Extension = [LOOK, syntaxHighlighting(COLOURS)];
