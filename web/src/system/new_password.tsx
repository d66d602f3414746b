/** A password that is set: typed twice, long enough, and one's present one where it is wanted. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts";
import { passwordProblem } from "./password";

interface Props {
  readonly name?: string; // whose; asked for where it is left out
  readonly wantsOld?: boolean;
  readonly button: string;
  /** Whether it was set. */
  readonly onSet: (name: string, password: string, old: string | null) => Promise<boolean>;
}

export function NewPassword({ name, wantsOld, button, onSet }: Props): JSX.Element {
  const [given, setGiven] = useState({ name: "", old: "", password: "", again: "" });
  const [asked, setAsked] = useState(false);
  const problem = passwordProblem(given.password, given.again) ?? (name === undefined && !given.name.trim() ? "users.nameMissing" : wantsOld && !given.old ? "users.oldMissing" : null);
  const set = async (event: Event): Promise<void> => {
    event.preventDefault();
    setAsked(true);
    if (problem) return;
    const done = await onSet(name ?? given.name.trim(), given.password, wantsOld ? given.old : null);
    if (!done) return;
    setGiven({ name: "", old: "", password: "", again: "" });
    setAsked(false);
  };
  const field = (key: keyof typeof given, label: string, type: string, complete: AutoFill): JSX.Element => (
    <label class="field">
      <span>{label}</span>
      <input name={key} type={type} autocomplete={complete} maxLength={200} value={given[key]} onInput={(event) => setGiven({ ...given, [key]: event.currentTarget.value })} />
    </label>
  );
  return (
    <form class="list" onSubmit={(event) => void set(event)}>
      {name === undefined && field("name", t("login.name"), "text", "username")}
      {wantsOld && field("old", t("users.old"), "password", "current-password")}
      {field("password", t("users.new"), "password", "new-password")}
      {field("again", t("users.again"), "password", "new-password")}
      {(asked || given.again) && problem && <p class="badly" role="alert">{t(problem)}</p>}
      <button type="submit" class="button do">{button}</button>
    </form>
  );
}
