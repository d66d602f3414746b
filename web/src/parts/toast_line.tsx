/** What was refused or done, in words, over the robot, where no button of a page is; it goes by itself, or at a touch. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { toast } from "../cell";
import { t } from "../texts";

export function ToastLine(): JSX.Element | null {
  const said = toast.value;
  useEffect(() => {
    if (!said) return;
    const timer = window.setTimeout(() => (toast.value = null), said.kind === "refused" ? 10_000 : 4000);
    return () => window.clearTimeout(timer);
  }, [said]);
  if (!said) return null;
  return (
    <div class={`toast ${said.kind}`} role="alert">
      <span>{said.text}</span>
      <button type="button" class="button" onClick={() => (toast.value = null)}>{t("common.close")}</button>
    </div>
  );
}
