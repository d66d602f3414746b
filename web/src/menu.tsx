/** Behind the brand: who sits here, language, theme, power off, lock, log out. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { post } from "./api";
import { attempt, disconnect, inControl, recogniseMe, who } from "./cell";
import { Choice } from "./parts/choice";
import { language, speak, t } from "./texts";

export type Theme = "dark" | "light";
export const theme = signal<Theme>(localStorage.getItem("theme") === "light" ? "light" : "dark");

export function dress(wanted: Theme): void {
  theme.value = wanted;
  localStorage.setItem("theme", wanted);
  document.documentElement.dataset["theme"] = wanted;
}

const shown = signal(false);

export function Menu(): JSX.Element {
  return (
    <>
      <button type="button" class="brand" aria-label={t("menu.menu")} data-menu onClick={() => (shown.value = true)}>
        <img src="./icon.svg" alt="" />
        <span>Armillary</span>
      </button>
      {shown.value && <Sheet />}
    </>
  );
}

function Sheet(): JSX.Element {
  const me = who.value;
  const leave = async (path: string): Promise<void> => {
    await attempt(() => post(path));
    shown.value = false;
    await recogniseMe();
    if (path === "/logout") disconnect();
  };
  return (
    <div class="sheet" onClick={(event) => event.target === event.currentTarget && (shown.value = false)}>
      <div role="dialog" aria-modal="true">
        <strong>{me?.user} · {me?.role && t(`role.${me.role}`)}</strong>
        <Choice label={t("menu.language")} value={language.value} onChoose={speak} of={[{ value: "en", label: "English" }, { value: "zh", label: "中文" }]} />
        <Choice label={t("theme.theme")} value={theme.value} onChoose={dress} of={[{ value: "dark", label: t("theme.dark") }, { value: "light", label: t("theme.light") }]} />
        <p class="quiet">{t("safety.note")}</p>
        <div class="row fill">
          <button type="button" class="button" disabled={!inControl.value} onClick={() => void attempt(() => post("/power/off"))}>{t("top.powerOff")}</button>
          <button type="button" class="button" disabled={!me?.has_password} onClick={() => void leave("/lock")}>{t("login.lock")}</button>
          <button type="button" class="button" onClick={() => void leave("/logout")}>{t("login.out")}</button>
        </div>
        <button type="button" class="button do" onClick={() => (shown.value = false)}>{t("common.close")}</button>
      </div>
    </div>
  );
}
