/** The editor: CodeMirror in a shadow root, where its styles are sheets of their own, which the page's policy allows. */

import { autocompletion, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Transaction, type StateEffect, type Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { completing, NO_WORDS, type Words } from "./completion";
import { colouring, type LanguageName } from "./languages";
import { PROBLEMS, tellProblems, type Problem } from "./problems";
import { chooses, RUN_LINES, startHere, startLine, tellRunLines, type RunLines } from "./run_lines";
import { THEME } from "./theme";

export interface EditorEvents {
  readonly onText: () => void; // the text changed
  readonly onCursor: (line: number, start: number) => void; // where the cursor is, and the line chosen to start with (0: none)
  readonly onSave: () => void;
  readonly onFollow: (follows: boolean) => void; // whether the line that moves is kept in sight
}

/** One editor: a text at a time, with its problems and the lines that run. */
export class ProgramEditor {
  readonly view: EditorView;
  private readonly colours = new Compartment();
  private readonly writing = new Compartment();
  private language: LanguageName = "";
  private words: Words = NO_WORDS;
  private lines: RunLines = { moving: 0, reading: 0 };
  private problems: readonly Problem[] = [];
  private follows = true;
  private saved: Text;

  constructor(
    parent: HTMLElement,
    private readonly events: EditorEvents,
  ) {
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
    this.view = new EditorView({ state: this.fresh("", "", true), root, parent: root });
    this.saved = this.view.state.doc;
    // A wheel, a finger or the bar: somebody looks elsewhere. The editor's own scrolling comes with none of these.
    for (const kind of ["wheel", "touchmove"] as const) this.view.scrollDOM.addEventListener(kind, () => this.follow(false), { passive: true });
    this.view.scrollDOM.addEventListener("pointerdown", (event) => event.target === this.view.scrollDOM && this.follow(false));
  }

  /** Another text, without a past. */
  open(text: string, language: LanguageName, readOnly: boolean): void {
    this.language = language;
    this.lines = { moving: 0, reading: 0 };
    this.view.setState(this.fresh(text, language, readOnly));
    this.saved = this.view.state.doc;
    this.tellCursor();
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Whether it is another text than was opened or saved. */
  get changed(): boolean {
    return !this.view.state.doc.eq(this.saved);
  }

  /** What has been saved: the text as it was when that was asked for. */
  get snapshot(): Text {
    return this.view.state.doc;
  }

  isSaved(text: Text): void {
    this.saved = text;
  }

  /** Another text in place of this one, which can be undone. */
  replace(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, userEvent: "input.replace" });
  }

  lineText(line: number): string {
    return line >= 1 && line <= this.view.state.doc.lines ? this.view.state.doc.line(line).text : "";
  }

  textAbove(): string {
    return this.view.state.doc.sliceString(0, this.view.state.doc.lineAt(this.view.state.selection.main.head).to);
  }

  get cursorLine(): number {
    return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
  }

  get startLine(): number {
    return startLine(this.view.state);
  }

  know(words: Words): void {
    this.words = words;
  }

  lock(readOnly: boolean): void {
    if (readOnly === this.view.state.readOnly) return;
    closeCompletion(this.view);
    this.view.dispatch({ effects: this.writing.reconfigure(writable(readOnly)) });
    this.show(this.problems); // fixes are for who may write
  }

  show(problems: readonly Problem[]): void {
    this.problems = problems;
    this.tell(tellProblems.of(problems));
  }

  /** Mark the lines that run, and keep the one that moves in sight. */
  run(lines: RunLines): void {
    if (lines.moving === this.lines.moving && lines.reading === this.lines.reading) return;
    const moved = lines.moving !== this.lines.moving && lines.moving > 0;
    this.lines = lines;
    this.tell(tellRunLines.of(lines));
    if (moved && this.follows) this.reveal(lines.moving);
  }

  follow(follows: boolean): void {
    if (follows && this.lines.moving) this.reveal(this.lines.moving);
    if (follows === this.follows) return;
    this.follows = follows;
    this.events.onFollow(follows);
  }

  startAt(line: number): void {
    this.tell(startHere.of(line));
  }

  /** Go to a line, and have it in sight. */
  goTo(line: number): void {
    const at = this.view.state.doc.line(Math.min(Math.max(line, 1), this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: at.to }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
    this.view.focus();
  }

  /** Put a line behind the one with the cursor, or in its place where that is empty. */
  insertLine(text: string): void {
    const line = this.view.state.doc.lineAt(this.view.state.selection.main.head);
    const indent = /^\s*/.exec(line.text)?.[0] ?? "";
    const empty = line.text.trim() === "";
    const insert = empty ? indent + text : `\n${indent}${text}`;
    const from = empty ? line.from : line.to;
    this.view.dispatch({ changes: { from, to: line.to, insert }, selection: { anchor: from + insert.length }, scrollIntoView: true, userEvent: "input.teach" });
  }

  close(): void {
    this.view.destroy();
  }

  private reveal(line: number): void {
    if (line > this.view.state.doc.lines) return;
    this.view.dispatch({ effects: EditorView.scrollIntoView(this.view.state.doc.line(line).from, { y: "nearest", yMargin: 60 }) });
  }

  private tell(effect: StateEffect<unknown>): void {
    this.view.dispatch({ effects: effect, annotations: Transaction.addToHistory.of(false) });
  }

  private tellCursor(): void {
    this.events.onCursor(this.cursorLine, this.startLine);
  }

  private fresh(text: string, language: LanguageName, readOnly: boolean): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        RUN_LINES, lineNumbers({ domEventHandlers: chooses }), PROBLEMS, history(), drawSelection(), bracketMatching(), highlightActiveLine(),
        highlightActiveLineGutter(), highlightSelectionMatches({ minSelectionLength: 2 }), search({ top: true }), indentOnInput(), indentUnit.of("  "),
        EditorState.tabSize.of(2), autocompletion({ override: [completing(() => this.language, () => this.words)], icons: false }),
        keymap.of([{ key: "Mod-s", run: () => (this.events.onSave(), true) }, ...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        this.colours.of(colouring(language)), this.writing.of(writable(readOnly)), THEME, EditorView.contentAttributes.of({ "aria-label": "program", autocapitalize: "off", spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.events.onText();
          if (update.docChanged || update.selectionSet || startLine(update.startState) !== startLine(update.state)) this.tellCursor();
        }),
      ],
    });
  }
}

/** What is read only still has a cursor, so that lines can be chosen. */
function writable(readOnly: boolean) {
  return [EditorState.readOnly.of(readOnly), EditorView.editable.of(!readOnly)];
}
