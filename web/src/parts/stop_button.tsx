/** STOP: in the far corner of every page, the log-in too; it works when it is pressed, not when it is let go, and it latches. */

import type { JSX } from "preact";
import { status, stopNow } from "../cell";
import { t } from "../texts";

export function StopButton(): JSX.Element {
  return (
    <button type="button" class={`stop${status.value?.state === "STOPPED" ? " latched" : ""}`} data-stop onPointerDown={() => stopNow()} onClick={(event) => event.detail === 0 && stopNow()}>
      <strong>{t("stop.stop")}</strong>
      <span><i class="keys">{t("stop.key")} </i>{t("stop.hint")}</span>
    </button>
  );
}
