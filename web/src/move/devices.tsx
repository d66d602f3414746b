/** Jogging by a gamepad and by keys: which there are, and how they are held. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { say } from "../cell";
import { padHeld, padName, padsAllowed, watchPad } from "../gamepad";
import { watchKeys } from "../keys";
import { Choice } from "../parts/choice";
import { t } from "../texts";
import { alongChosen, canJog, stream } from "./jogging";

/** Whether keys jog; off again at every opening of the page. */
const keysJog = signal(false);

export function Devices(): JSX.Element {
  useEffect(() => watchPad((shares) => void stream.ask("pad", alongChosen(shares)), () => stream.end("pad")), []);
  useEffect(() => () => {
    if (keysJog.peek()) say("info", t("move.keysOff"));
    keysJog.value = false;
  }, []);
  const listens = keysJog.value && canJog.value;
  useEffect(() => (listens ? watchKeys((shares) => void stream.ask("keys", alongChosen(shares)), () => stream.end("keys")) : undefined), [listens]);
  return (
    <section class="move-part">
      <h2>{t("move.devices")}</h2>
      <div class="move-device">
        <b>{t("move.pad")}</b>
        <PadState />
      </div>
      <div class="move-device">
        <b>{t("move.keys")}</b>
        <Choice label={t("move.keys")} value={keysJog.value ? "on" : "off"} onChoose={(value) => (keysJog.value = value === "on")}
          of={[{ value: "off", label: t("move.off") }, { value: "on", label: t("move.on") }]} />
        <p class="quiet">{t("move.keysHow")}</p>
      </div>
    </section>
  );
}

function PadState(): JSX.Element {
  if (!padsAllowed()) return <p class="badly">{t("move.padSecure")}</p>;
  if (padName.value === "") return <p class="quiet">{t("move.padNone")}</p>;
  return (
    <>
      <span class={`pill ${padHeld.value ? "good" : ""}`} title={padName.value}>{padName.value}</span>
      <p class="quiet">{t("move.padHow")}</p>
    </>
  );
}
