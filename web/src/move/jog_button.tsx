/** One − or + : held to run, or one step a press. */

import type { JSX } from "preact";
import { HoldButton } from "../parts/hold";
import { canJog, busy, increment, step, stream } from "./jogging";
import type { Wanted } from "./stream";

interface Props {
  readonly name: string; // of what it moves, for those who do not see it
  readonly way: -1 | 1;
  readonly wanted: () => Wanted; // while it is held
  readonly by: () => readonly number[]; // of one step [rad or m]
  readonly closed?: boolean; // there is a limit in this direction
  readonly hint?: string;
}

export function JogButton({ name, way, wanted, by, closed, hint }: Props): JSX.Element {
  const source = `${name}${way}`;
  const mark = way < 0 ? "−" : "+";
  const label = `${name} ${mark}`;
  if (increment.value === "hold")
    return (
      <HoldButton className="jog" label={label} disabled={closed || !canJog.value} onHold={() => void stream.ask(source, wanted())} onRelease={() => stream.end(source)}>
        <JogMark mark={mark} hint={hint} />
      </HoldButton>
    );
  return (
    <button type="button" class="button big jog" aria-label={label} disabled={closed || !canJog.value || busy.value}
      onClick={() => {
        const { kind, frame } = wanted();
        void step({ kind, frame, by: by() });
      }}>
      <JogMark mark={mark} hint={hint} />
    </button>
  );
}

function JogMark({ mark, hint }: { mark: string; hint: string | undefined }): JSX.Element {
  return (
    <>
      <span class="jog-mark" aria-hidden="true">{mark}</span>
      {hint && <small>{hint}</small>}
    </>
  );
}
