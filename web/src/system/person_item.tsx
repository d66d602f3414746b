/** One user: role, password, removal. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { patch, post, remove } from "../api";
import { attempt, say, who } from "../cell";
import { type Key, t } from "../texts";
import { NewPassword } from "./new_password";
import { SureButton } from "./sure_button";

export const ROLES = ["viewer", "operator", "programmer", "administrator"] as const;
export type RoleName = (typeof ROLES)[number];

/** Somebody who can log in (GET /users). */
export interface Person {
  readonly name: string;
  readonly role: RoleName;
  readonly since: string; // UTC
  readonly here: number; // browsers that he is logged in at
}

interface Props {
  readonly person: Person;
  readonly onChange: () => void;
}

export function PersonItem({ person, onChange }: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  const me = who.value?.user.toLowerCase() === person.name.toLowerCase();
  const done = async (work: () => Promise<unknown>, said: string): Promise<boolean> => {
    const well = (await attempt(async () => (await work(), true))) === true;
    if (well) {
      say("info", said);
      onChange();
    }
    return well;
  };
  return (
    <div class="card person" data-person={person.name}>
      <button type="button" class="person-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <b>{person.name}{me && <span class="quiet"> · {t("top.you")}</span>}</b>
        <span class="quiet">{t(`role.${person.role}` as Key)}</span>
        {person.here > 0 && <span class="goodly">● {t("users.here")}</span>}
        <span class="quiet" aria-hidden="true">{open ? "▴" : "▾"}</span>
      </button>
      {open && (
        <>
          <label class="field">
            <span>{t("users.role")}</span>
            <RoleSelect value={person.role} disabled={me} onChoose={(role) => void done(() => patch("/users", { name: person.name, role }), t("users.roleSet", { name: person.name }))} />
          </label>
          <p class="quiet small">{t(`role.${person.role}.may` as Key)}</p>
          {!me && (
            <NewPassword name={person.name} button={t("users.setPassword")}
              onSet={(name, password) => done(() => post("/users/password", { name, password }), t("users.passwordSet"))} />
          )}
          {!me && (
            <SureButton question={t("users.sure", { name: person.name })}
              onSure={() => void done(() => remove(`/users?name=${encodeURIComponent(person.name)}`), t("users.removed", { name: person.name }))}>
              {t("users.remove")}
            </SureButton>
          )}
        </>
      )}
    </div>
  );
}

interface RoleProps {
  readonly value: RoleName;
  readonly disabled?: boolean;
  readonly onChoose: (role: RoleName) => void;
}

export function RoleSelect({ value, disabled, onChoose }: RoleProps): JSX.Element {
  return (
    <select name="role" value={value} disabled={disabled} onChange={(event) => onChoose(event.currentTarget.value as RoleName)}>
      {ROLES.map((role) => <option key={role} value={role}>{t(`role.${role}` as Key)}</option>)}
    </select>
  );
}
