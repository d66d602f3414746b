/** One of a few, all in sight. */

import type { JSX } from "preact";

interface Props<T extends string> {
  readonly of: readonly { readonly value: T; readonly label: string; readonly disabled?: boolean }[];
  readonly value: T;
  readonly onChoose: (value: T) => void;
  readonly label: string;
}

export function Choice<T extends string>({ of, value, onChoose, label }: Props<T>): JSX.Element {
  return (
    <div class="choice" role="group" aria-label={label}>
      {of.map((each) => (
        <button key={each.value} type="button" aria-pressed={each.value === value} disabled={each.disabled} onClick={() => onChoose(each.value)}>
          {each.label}
        </button>
      ))}
    </div>
  );
}
