/** I/O: what the motor side senses and switches; inputs of a simulated one can be forced. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api";
import { attempt, inControl, io, may, needsKey, status } from "../cell";
import { t } from "../texts";
import "./io.css";
import "./teach.css";

const chosen = signal<number | null>(null);

export function IoPage(): JSX.Element {
  const now = io.value;
  const simulated = status.value?.simulated ?? false;
  if (!now) return <div class="teaching"><p class="quiet">{t("io.waiting")}</p></div>;
  const nothing = !now.inputs.length && !now.outputs.length && !now.analog_inputs.length && !now.analog_outputs.length;
  return (
    <div class="teaching io">
      {nothing && <div class="card"><b>{t("io.none")}</b><p class="quiet">{t("io.noneHint")}</p></div>}
      {now.outputs.length > 0 && <Outputs values={now.outputs} />}
      {now.inputs.length > 0 && <Inputs values={now.inputs} simulated={simulated} />}
      {now.analog_outputs.length > 0 && <AnalogOutputs values={now.analog_outputs} />}
      {now.analog_inputs.length > 0 && <AnalogInputs values={now.analog_inputs} simulated={simulated} />}
    </div>
  );
}

async function force(index: number, value: boolean | number | null, analog: boolean): Promise<void> {
  await attempt(() => post("/io/input", { index, value, analog }));
}

const able = (): boolean => inControl.value && may("operator");

function Outputs({ values }: { readonly values: readonly boolean[] }): JSX.Element {
  return (
    <section>
      <h2>{t("io.outputs")}</h2>
      {!able() && <p class="note quiet">{t(needsKey())}</p>}
      <div class="tiles">
        {values.map((on, index) => (
          <button key={index} type="button" class={`tile ${on ? "on do" : ""}`} role="switch" aria-checked={on} data-output={index} disabled={!able()}
            aria-label={`${t("io.output", { index })}`} onClick={() => void attempt(() => post("/io/output", { index, value: !on }))}>
            <Face index={index} on={on} />
          </button>
        ))}
      </div>
    </section>
  );
}

function Face({ index, on, mark }: { readonly index: number; readonly on: boolean; readonly mark?: string }): JSX.Element {
  return <><b>{index}</b><span>{on ? t("io.on") : t("io.off")}</span>{mark && <em>{mark}</em>}</>;
}

function Inputs({ values, simulated }: { readonly values: readonly boolean[]; readonly simulated: boolean }): JSX.Element {
  const held = io.value?.forced ?? [];
  return (
    <section>
      <h2>{t("io.inputs")}</h2>
      <div class="tiles">
        {values.map((on, index) => {
          const face = <Face index={index} on={on} mark={held.includes(index) ? t("io.forced") : ""} />;
          const look = `tile ${on ? "on" : ""} ${held.includes(index) ? "forced" : ""} ${simulated && chosen.value === index ? "chosen" : ""}`;
          return simulated ? (
            <button key={index} type="button" class={look} data-input={index} aria-label={t("io.input", { index })} aria-pressed={chosen.value === index} disabled={!able()}
              onClick={() => (chosen.value = chosen.value === index ? null : index)}>{face}</button>
          ) : <div key={index} class={look} data-input={index}>{face}</div>;
        })}
      </div>
      {simulated && <Forcing count={values.length} />}
    </section>
  );
}

/** What can be done to the input that is chosen. It is always there, so that nothing jumps. */
function Forcing({ count }: { readonly count: number }): JSX.Element {
  const index = chosen.value !== null && chosen.value < count ? chosen.value : null;
  const on = (value: boolean | null): void => void (index !== null && force(index, value, false));
  const may = index !== null && able();
  return (
    <div class="forcing">
      <span class="quiet note">{!able() ? t(needsKey()) : index === null ? t("io.chooseInput") : t("io.forceInput", { index })}</span>
      <div class="row fill">
        <button type="button" class="button" data-force="on" disabled={!may} onClick={() => on(true)}>{t("io.forceOn")}</button>
        <button type="button" class="button" data-force="off" disabled={!may} onClick={() => on(false)}>{t("io.forceOff")}</button>
        <button type="button" class="button" data-force="free" disabled={!may || !io.value?.forced.includes(index ?? -1)} onClick={() => on(null)}>{t("io.letGo")}</button>
      </div>
    </div>
  );
}

function AnalogOutputs({ values }: { readonly values: readonly number[] }): JSX.Element {
  return (
    <section>
      <h2>{t("io.analogOutputs")}</h2>
      {values.map((value, index) => (
        <Analog key={index} index={index} value={value} disabled={!able()} name="analog-output" onSet={(wanted) => attempt(() => post("/io/output", { index, value: wanted }))} />
      ))}
    </section>
  );
}

function AnalogInputs({ values, simulated }: { readonly values: readonly (number | null)[]; readonly simulated: boolean }): JSX.Element {
  const held = io.value?.forced_analog ?? [];
  return (
    <section>
      <h2>{t("io.analogInputs")}</h2>
      {values.map((value, index) =>
        simulated ? (
          <Analog key={index} index={index} value={value} disabled={!able()} name="analog-input" mark={held.includes(index)}
            onSet={(wanted) => force(index, wanted, true)} onFree={() => void force(index, null, true)} />
        ) : <div key={index} class="analog"><b>{index}</b><span class="value">{value === null ? "—" : value.toFixed(3)}</span></div>,
      )}
    </section>
  );
}

interface AnalogProps {
  readonly index: number;
  readonly value: number | null;
  readonly name: string;
  readonly disabled: boolean;
  readonly mark?: boolean;
  readonly onSet: (value: number) => Promise<unknown>;
  readonly onFree?: () => void;
}

/** An analogue value: a slider for the hand, a number for what is exact. It is set when it is let go, or with Enter. */
function Analog({ index, value, name, disabled, mark, onSet, onFree }: AnalogProps): JSX.Element {
  const [mine, setMine] = useState<string | null>(null);
  const shown = mine ?? (value === null ? "" : String(Number(value.toFixed(4))));
  const set = async (text: string): Promise<void> => {
    const wanted = Number(text);
    if (text.trim() !== "" && Number.isFinite(wanted)) await onSet(wanted);
    setMine(null);
  };
  const number = value ?? 0;
  return (
    <div class={`analog ${mark ? "forced" : ""}`} data-analog={`${name}-${index}`}>
      <b>{index}</b>
      <input type="range" min={Math.min(0, Math.floor(number))} max={Math.max(10, Math.ceil(number))} step="0.05" value={Number(shown) || 0} disabled={disabled}
        aria-label={`${t("io.analog")} ${index}`} onInput={(event) => setMine(event.currentTarget.value)} onChange={(event) => void set(event.currentTarget.value)} />
      <input class="text" inputMode="decimal" value={shown} disabled={disabled} aria-label={`${t("io.value")} ${index}`}
        onInput={(event) => setMine(event.currentTarget.value)} onChange={(event) => void set(event.currentTarget.value)} />
      {onFree && <button type="button" class="button" disabled={disabled || !mark} onClick={onFree}>{mark ? t("io.letGo") : t("io.free")}</button>}
    </div>
  );
}
