/** Taking control: who has it is asked for it, and an administrator who presses again soon takes it by force. */

import { post } from "./api";
import { attempt, inControl, may, programName, say, status, who } from "./cell";
import { inWords, Refused } from "./refused";
import { t } from "./texts";

const WITHIN = 10_000; // ms after the refusal in which another press takes it by force; the text says so
const DOUBLE = 500; // ms: a double click is one press

/** Who was told that another press takes it by force: from whom, and when. */
let told: { readonly from: string; readonly at: number } | null = null;

/** Whether who sits here has control at another screen: the same person, and another session. */
export function isMineElsewhere(): boolean {
  const control = status.value?.control, me = who.value;
  return !inControl.value && !!control && control.session !== "" && me !== null && me.user !== "" && control.name === me.user && control.session !== me.session;
}

/** Who has control, in words; "" for nobody. */
export function holderName(): string {
  const name = status.value?.control.name ?? "";
  return inControl.value ? t("top.you") : isMineElsewhere() ? t("top.youElsewhere") : programName(name);
}

const holder = (): string => `${status.value?.control.session} ${status.value?.control.name}`;

function isByForce(): boolean {
  if (!told || told.from !== holder() || !may("administrator")) return false;
  const since = performance.now() - told.at;
  return since > DOUBLE && since < WITHIN;
}

export async function takeControl(): Promise<void> {
  const force = isByForce();
  told = null;
  await attempt(async () => {
    try {
      await post("/control/take", force ? { force } : {});
    } catch (error) {
      const had = error instanceof Refused && error.status === 403 && error.kind === "NoControl";
      if (!had || force || !may("administrator")) throw error;
      told = { from: holder(), at: performance.now() };
      say("refused", t("top.pressAgain", { why: inWords(error) }));
    }
  });
}
