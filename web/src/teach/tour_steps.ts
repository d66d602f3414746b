/** The tour at the first start: what is to be done next, by how the cell stands. */

export type Step = "jog" | "teach" | "run" | "done";
export type Hint =
  | "tour.jogPage" | "tour.jogControl" | "tour.jogPower" | "tour.jogFault" | "tour.jogManual" | "tour.jogHold"
  | "tour.teachPage" | "tour.teachHere" | "tour.runPage" | "tour.runHold" | "tour.runPress";

/** What is pointed at: something of the frame, or a page's own control. */
export type Target = "page-move" | "page-teach" | "page-program" | "control" | "way-out" | "mode" | "jog" | "teach" | "run";

export interface Seen {
  readonly page: string;
  readonly control: boolean;
  readonly state: string;
  readonly mode: string;
}

/** What comes next in a step, and where to look for it. */
export function next(step: Step, seen: Seen): readonly [Hint, Target] | null {
  if (step === "done") return null;
  const stands = seen.state === "READY" || seen.state === "MOVING";
  if (step === "teach") return seen.page === "teach" ? ["tour.teachHere", "teach"] : ["tour.teachPage", "page-teach"];
  // A robot moves for who has control, and with power on: said before anything else.
  if (!seen.control) return ["tour.jogControl", "control"];
  if (!stands) return [seen.state === "FAULTED" ? "tour.jogFault" : "tour.jogPower", "way-out"];
  if (step === "jog") {
    if (seen.mode !== "manual") return ["tour.jogManual", "mode"];
    return seen.page === "move" ? ["tour.jogHold", "jog"] : ["tour.jogPage", "page-move"];
  }
  if (seen.page !== "program") return ["tour.runPage", "page-program"];
  return [seen.mode === "manual" ? "tour.runHold" : "tour.runPress", "run"];
}

/** The steps for who sits here: teaching is a programmer's. */
export function stepsFor(teaches: boolean): readonly Step[] {
  return teaches ? ["jog", "teach", "run", "done"] : ["jog", "run", "done"];
}

const MOVED = 0.008; // rad or m: half a degree is seen, and no encoder trembles so far

/** Whether a joint has really moved. */
export function hasMoved(from: readonly number[], to: readonly number[]): boolean {
  return from.length === to.length && from.some((value, joint) => Math.abs(value - (to[joint] ?? value)) > MOVED);
}
