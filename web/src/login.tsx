/** Coming in by name and password, and the lock screen. STOP is where it is on every page. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post } from "./api";
import { attempt, connect, lastCell, leftBecause, recogniseMe, stopNow, toast, who } from "./cell";
import { Choice } from "./parts/choice";
import { StopButton } from "./parts/stop_button";
import { language, speak, t } from "./texts";

export function Login(): JSX.Element {
  const me = who.value;
  const locked = me?.locked ?? false;
  useEscape();
  return (
    <div class="login">
      <header class="login-top">
        <div class="top-rest">
          <div class="brand"><img src="./icon.svg" alt="" /><span>Armillary</span></div>
          <span class="pill" data-cell title={t("login.cellHint")}>{t("top.cell")} <b>{lastCell() ? `${lastCell()} · ${location.host}` : location.host}</b></span>
          <span class="space" />
          <Choice label={t("menu.language")} value={language.value} onChoose={speak} of={[{ value: "en", label: "English" }, { value: "zh", label: "中文" }]} />
        </div>
        <StopButton />
      </header>
      <div class="sheet">
        <div>
          {leftBecause.value && !locked && <p class="badly" role="status" data-left>{t(leftBecause.value)}</p>}
          {!locked && me && !me.passwords ? <p>{t("login.noPasswords")}</p> : <Form locked={locked} />}
          {toast.value && <p class={toast.value.kind === "refused" ? "badly" : "goodly"} role="alert">{toast.value.text}</p>}
          <p class="quiet">{t("safety.note")}</p>
        </div>
      </div>
    </div>
  );
}

function Form({ locked }: { readonly locked: boolean }): JSX.Element {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    const done = await attempt(async () => {
      await post(locked ? "/unlock" : "/login", locked ? { password } : { name, password });
      return true;
    });
    if (!done) return;
    toast.value = leftBecause.value = null; // what was wrong before is over
    await recogniseMe();
    if (!locked) await attempt(connect);
  };
  return (
    <form class="list" onSubmit={(event) => void enter(event)}>
      <strong>{locked ? t("login.locked") : t("login.title")}</strong>
      {!locked && <input class="text" name="name" autocomplete="username" aria-label={t("login.name")} placeholder={t("login.name")} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
      <input class="text" name="password" type="password" autocomplete="current-password" aria-label={t("login.password")} placeholder={t("login.password")} value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
      <button type="submit" class="button do">{locked ? t("login.unlock") : t("login.enter")}</button>
    </form>
  );
}

/** Esc stops here, too. */
function useEscape(): void {
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.key === "Escape") stopNow();
    };
    window.addEventListener("keydown", key, true);
    return () => window.removeEventListener("keydown", key, true);
  }, []);
}
