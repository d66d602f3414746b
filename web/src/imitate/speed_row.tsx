/** The share of the joints' velocities that is used at most. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts";

interface Props {
  readonly value: number;
  readonly disabled?: boolean;
  /** Called when it is let go, not while it is drawn. */
  readonly onChange: (value: number) => void;
}

export function SpeedRow({ value, disabled, onChange }: Props): JSX.Element {
  const [drawn, setDrawn] = useState<number | null>(null); // until the cell has it
  const shown = Math.round(100 * (drawn ?? value));
  return (
    <label class="speed">
      <span class="row"><span>{t("imitate.speed")}</span><span class="grow" /><b class="number">{shown} %</b></span>
      <input type="range" min="5" max="100" step="5" value={shown} disabled={disabled} data-speed
        onInput={(event) => setDrawn(Number(event.currentTarget.value) / 100)}
        onChange={(event) => {
          setDrawn(null);
          onChange(Number(event.currentTarget.value) / 100);
        }} />
    </label>
  );
}
