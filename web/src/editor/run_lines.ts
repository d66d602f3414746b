/** Which line is being moved, which is being read ahead of it, and where a run would start: in the gutter. */

import { RangeSet, StateEffect, StateField, type EditorState, type Extension, type Range } from "@codemirror/state";
import { Decoration, EditorView, gutter, gutterLineClass, GutterMarker } from "@codemirror/view";

export interface RunLines {
  readonly moving: number; // from 1; 0 for none
  readonly reading: number;
}

export const tellRunLines = StateEffect.define<RunLines>();
export const startHere = StateEffect.define<number>(); // line from 1; 0 for the beginning

interface Marked extends RunLines {
  readonly start: number; // where its line begins in the text; -1 for none
}

/** A line of the text, or null where there is none of that number. */
function beginning(state: EditorState, line: number): number | null {
  return line >= 1 && line <= state.doc.lines ? state.doc.line(line).from : null;
}

const marked = StateField.define<Marked>({
  create: () => ({ moving: 0, reading: 0, start: -1 }),
  update(value, transaction) {
    let next = value;
    if (transaction.docChanged && value.start >= 0) {
      const at = transaction.changes.mapPos(value.start, 1);
      next = { ...next, start: transaction.state.doc.lineAt(at).from };
    }
    for (const effect of transaction.effects) {
      if (effect.is(tellRunLines)) next = { ...next, ...effect.value };
      if (effect.is(startHere)) next = { ...next, start: beginning(transaction.state, effect.value) ?? -1 };
    }
    return next;
  },
});

/** The line that "from line" begins with, where somebody has chosen one; 0 otherwise. */
export function startLine(state: EditorState): number {
  const at = state.field(marked).start;
  return at < 0 ? 0 : state.doc.lineAt(at).number;
}

class Sign extends GutterMarker {
  constructor(
    readonly kind: string,
    readonly sign: string,
  ) {
    super();
  }

  override eq(other: Sign): boolean {
    return other.kind === this.kind;
  }

  override toDOM(): Node {
    const span = document.createElement("span");
    span.className = this.kind;
    span.textContent = this.sign;
    return span;
  }
}
class MovingLine extends GutterMarker {
  override elementClass = "cm-moving";
}

const SIGNS = { moving: new Sign("moving", "▶"), reading: new Sign("reading", "▷"), start: new Sign("start", "⚑") };
const MOVING = new MovingLine();

function signs(state: EditorState): RangeSet<GutterMarker> {
  const { moving, reading, start } = state.field(marked);
  const ranges: Range<GutterMarker>[] = [];
  const moved = beginning(state, moving);
  const read = beginning(state, reading);
  // One sign a line: what moves hides the rest.
  if (moved !== null) ranges.push(SIGNS.moving.range(moved));
  if (read !== null && read !== moved) ranges.push(SIGNS.reading.range(read));
  if (start >= 0 && start !== moved && start !== read) ranges.push(SIGNS.start.range(start));
  return RangeSet.of(ranges, true);
}

/** Touching the gutter chooses where "from line" begins; touching it again takes that back. */
function choose(view: EditorView, at: number): boolean {
  const line = view.state.doc.lineAt(at).number;
  view.dispatch({ effects: startHere.of(startLine(view.state) === line ? 0 : line) });
  return true;
}

/** Handlers for gutters in which a touch chooses the line to start with. */
export const chooses = { mousedown: (view: EditorView, block: { readonly from: number }): boolean => choose(view, block.from) };

export const RUN_LINES: Extension = [
  marked,
  gutter({ class: "cm-markers", markers: (view) => signs(view.state), initialSpacer: () => SIGNS.moving, domEventHandlers: chooses }),
  gutterLineClass.compute([marked, "doc"], (state) => {
    const at = beginning(state, state.field(marked).moving);
    return at === null ? RangeSet.empty : RangeSet.of([MOVING.range(at)]);
  }),
  EditorView.decorations.compute([marked, "doc"], (state) => {
    const at = beginning(state, state.field(marked).moving);
    return at === null ? Decoration.none : Decoration.set([Decoration.line({ class: "cm-moving" }).range(at)]);
  }),
];
