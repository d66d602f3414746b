/** What is wrong with a program, at its line: in words under it, with the fix as a button. */

import { RangeSetBuilder, StateEffect, StateField, type EditorState, type Range, type Text } from "@codemirror/state";
import { Decoration, EditorView, gutterLineClass, GutterMarker, WidgetType, type DecorationSet } from "@codemirror/view";
import { changeOf, type Fix } from "./fixes";
import { spoken } from "../spoken";

export interface Problem {
  readonly line: number; // from 1; 0 where it is no line's
  readonly column: number; // from 1; 0 where it is the whole line
  readonly text: string;
  readonly fix: Fix | null;
}

export interface PlacedProblem extends Problem {
  readonly from: number; // of the piece that is wrong
  readonly to: number;
  readonly end: number; // of its line
}

/** Where problems stand in a text: those of lines that are not there stand at the nearest. In the order of the text. */
export function placed(problems: readonly Problem[], text: Text): PlacedProblem[] {
  return problems
    .map((problem) => {
      const line = text.line(Math.min(Math.max(problem.line, 1), text.lines));
      const from = Math.min(line.from + Math.max(problem.column - 1, 0), line.to);
      const piece = problem.column > 0 ? (/^(?:[\p{L}_][\p{L}\p{N}_.]*[-+]?[\d.]*|[-+]?[\d.]+|\S)/u.exec(line.text.slice(from - line.from))?.[0].length ?? 0) : 0;
      return { ...problem, line: line.number, from, to: from + piece, end: line.to };
    })
    .sort((a, b) => a.end - b.end || a.from - b.from);
}

export const tellProblems = StateEffect.define<readonly Problem[]>();

class Said extends WidgetType {
  constructor(
    readonly problem: PlacedProblem,
    readonly fixable: boolean,
  ) {
    super();
  }

  override eq(other: Said): boolean {
    const [mine, theirs] = [this.problem, other.problem];
    return mine.text === theirs.text && mine.from === theirs.from && mine.fix?.label === theirs.fix?.label && this.fixable === other.fixable;
  }

  toDOM(view: EditorView): HTMLElement {
    const box = document.createElement("div");
    box.className = "cm-said";
    box.setAttribute("role", "note");
    const words = document.createElement("span");
    words.textContent = spoken(this.problem.text);
    box.append(words);
    const fix = this.problem.fix;
    if (fix && this.fixable) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = fix.label;
      button.addEventListener("click", () => applyFix(view, box, fix));
      box.append(button);
    }
    return box;
  }

  override ignoreEvent(): boolean {
    return true; // the editor leaves touches here to the button
  }
}

/** The line is looked up now: it may have moved since the problem was told. */
function applyFix(view: EditorView, box: HTMLElement, fix: Fix): void {
  const line = view.state.doc.lineAt(view.posAtDOM(box));
  const change = changeOf(fix, line.text);
  if (!change) return;
  view.dispatch({ changes: { from: line.from + change.from, to: line.from + change.to, insert: change.insert }, userEvent: "input.fix" });
  view.focus();
}

function drawn(problems: readonly Problem[], state: EditorState): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const each of placed(problems, state.doc)) {
    ranges.push(Decoration.line({ class: "cm-wrong" }).range(state.doc.line(each.line).from));
    if (each.to > each.from) ranges.push(Decoration.mark({ class: "cm-at" }).range(each.from, each.to));
    ranges.push(Decoration.widget({ widget: new Said(each, !state.readOnly), block: true, side: 1 }).range(each.end));
  }
  return Decoration.set(ranges, true);
}

const shown = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    let next = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(tellProblems)) next = drawn(effect.value, transaction.state);
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Wrong extends GutterMarker {
  override elementClass = "cm-wrong";
}
const WRONG = new Wrong();

/** The gutter beside each wrong line is red too. */
const inGutter = gutterLineClass.compute([shown], (state) => {
  const builder = new RangeSetBuilder<GutterMarker>();
  let last = -1;
  state.field(shown).between(0, state.doc.length, (from, _to, decoration) => {
    if (decoration.spec.class === "cm-wrong" && from > last) builder.add((last = from), from, WRONG);
  });
  return builder.finish();
});

export const PROBLEMS = [shown, inGutter];
