/** Users: who may log in and what they may do; who did what; one's own password. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post } from "../api";
import { attempt, may, recogniseMe, say, who } from "../cell";
import { Choice } from "../parts/choice";
import { AuditTrail } from "../system/audit_trail";
import { useLooked } from "../system/look_again";
import { LookedPart } from "../system/looked_part";
import { NewPassword } from "../system/new_password";
import { type Person, PersonItem, type RoleName, RoleSelect } from "../system/person_item";
import { type Key, t } from "../texts";
import "./users.css";

type Tab = "people" | "audit";

export function UsersPage(): JSX.Element {
  const [tab, setTab] = useState<Tab>("people");
  const me = who.value;
  const first = me !== null && !me.has_password;
  return (
    <div class="users-page">
      {first && <FirstPassword />}
      {may("administrator") && (
        <Choice label={t("page.users")} value={tab} onChoose={setTab} of={[{ value: "people", label: t("page.users") }, { value: "audit", label: t("users.audit") }]} />
      )}
      {may("administrator") && tab === "audit" ? <AuditTrail /> : (
        <>
          {may("administrator") && <People key={me?.user} />}
          {me?.has_password && <OwnPassword />}
        </>
      )}
    </div>
  );
}

async function setPassword(name: string, password: string, old: string | null): Promise<boolean> {
  const done = await attempt(async () => {
    await post("/users/password", old === null ? { name, password } : { name, password, old });
    await recogniseMe();
    return true;
  });
  if (done) say("info", t("users.passwordSet"));
  return done === true;
}

/** For who came by the link of this machine: so far nobody else can come in. */
function FirstPassword(): JSX.Element {
  const alone = who.value?.passwords === false;
  return (
    <section class="card first-password" data-first-password>
      <strong>{t("users.first")}</strong>
      <p class="quiet">{alone ? t("users.firstAlone") : t("users.firstLink")}</p>
      <NewPassword button={t("users.setPassword")} onSet={setPassword} />
    </section>
  );
}

function OwnPassword(): JSX.Element {
  const me = who.value!;
  return (
    <section class="card" data-own-password>
      <h2>{t("users.ownPassword")}</h2>
      <p class="quiet">{me.user} · {t(`role.${me.role}` as Key)}</p>
      <NewPassword name={me.user} wantsOld button={t("users.setPassword")} onSet={setPassword} />
    </section>
  );
}

function People(): JSX.Element {
  const people = useLooked<readonly Person[]>("/users", 5);
  return (
    <>
      <LookedPart of={people}>
        {(found) => (
          <div class="list">
            {found.map((person) => <PersonItem key={person.name} person={person} onChange={people.again} />)}
            {found.length === 0 && <p class="quiet">{t("users.nobody")}</p>}
          </div>
        )}
      </LookedPart>
      {who.value?.passwords && <AddPerson onChange={people.again} />}
    </>
  );
}

function AddPerson({ onChange }: { readonly onChange: () => void }): JSX.Element {
  const [open, setOpen] = useState(false);
  const [role, setRole] = useState<RoleName>("operator");
  const add = async (name: string, password: string): Promise<boolean> => {
    const done = await attempt(async () => (await post("/users", { name, role, password }), true));
    if (!done) return false;
    say("info", t("users.added", { name }));
    setOpen(false);
    onChange();
    return true;
  };
  if (!open) return <button type="button" class="button" data-add onClick={() => setOpen(true)}>{t("users.add")}</button>;
  return (
    <section class="card">
      <h2>{t("users.add")}</h2>
      <label class="field"><span>{t("users.role")}</span><RoleSelect value={role} onChoose={setRole} /></label>
      <p class="quiet small">{t(`role.${role}.may` as Key)}</p>
      <NewPassword button={t("users.add")} onSet={add} />
      <button type="button" class="button" onClick={() => setOpen(false)}>{t("common.cancel")}</button>
    </section>
  );
}
