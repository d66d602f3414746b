/** Coming in by name and password, and the lock screen. STOP is there too. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "./api";
import { attempt, connect, recogniseMe, stopNow, toast, who } from "./cell";
import { t } from "./texts";

export function Login(): JSX.Element {
  const me = who.value;
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const locked = me?.locked ?? false;
  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    const done = await attempt(async () => {
      await post(locked ? "/unlock" : "/login", locked ? { password } : { name, password });
      return true;
    });
    if (!done) return;
    await recogniseMe();
    if (!locked) await connect();
  };
  return (
    <div class="sheet">
      <div>
        <div class="brand"><img src="./icon.svg" alt="" />Armillary</div>
        {!locked && me && !me.passwords ? (
          <p>{t("login.noPasswords")}</p>
        ) : (
          <form class="list" onSubmit={(event) => void enter(event)}>
            <strong>{locked ? t("login.locked") : t("login.title")}</strong>
            {!locked && <input class="text" name="name" autocomplete="username" placeholder={t("login.name")} value={name} onInput={(event) => setName(event.currentTarget.value)} />}
            <input class="text" name="password" type="password" autocomplete="current-password" placeholder={t("login.password")} value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
            <button type="submit" class="button do">{locked ? t("login.unlock") : t("login.enter")}</button>
          </form>
        )}
        {toast.value && <p class="badly" role="alert">{toast.value.text}</p>}
        <p class="quiet">{t("safety.note")}</p>
        <button type="button" class="stop" style={{ minHeight: "64px", borderRadius: "10px" }} data-stop onClick={() => stopNow()}>
          <strong>{t("stop.stop")}</strong>
        </button>
      </div>
    </div>
  );
}
