/** A gamepad (the browser's Gamepad API): what its sticks ask for, while its dead-man button is held. */

import { signal } from "@preact/signals";
import { onLetGo } from "./cell";
import { EVERY } from "./parts/repeated";
import { isZero, type Six, softened, softenedPair } from "./move/shares";

export const DEAD_MAN = 5; // the right shoulder button, RB or R1
const CROSS = { up: 12, down: 13, left: 14, right: 15 };
const BY_CROSS = 0.4; // of the speed: its buttons know no less

/** What the browser tells of a pad, as far as it is read here. */
export interface Pad {
  readonly id: string;
  readonly connected: boolean;
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean }[];
}

/** The pad that is read; "" for none. */
export const padName = signal("");
/** Whether its dead-man button is held now. */
export const padHeld = signal(false);

export const isDeadManHeld = (pad: Pad): boolean => pad.buttons[DEAD_MAN]?.pressed ?? false;

/** Shares of a twist: left stick X and Y, right stick Z and C, cross A and B. All zero without the dead-man button. */
export function padShares(pad: Pad): Six {
  if (!isDeadManHeld(pad)) return [0, 0, 0, 0, 0, 0];
  const axis = (number: number): number => (Number.isFinite(pad.axes[number]) ? (pad.axes[number] as number) : 0);
  const down = (button: number): number => (pad.buttons[button]?.pressed ? BY_CROSS : 0);
  const [right, back] = softenedPair(axis(0), axis(1));
  return [
    -back || 0, -right || 0, -softened(axis(3)) || 0,
    down(CROSS.right) - down(CROSS.left), down(CROSS.up) - down(CROSS.down), -softened(axis(2)) || 0,
  ];
}

/** "Xbox Wireless Controller (STANDARD GAMEPAD Vendor: 045e ...)" without what is in brackets. */
export const plainName = (id: string): string => id.replace(/\s*\(.*\)\s*$/, "").trim() || id;

/** Whether this page may read gamepads at all: browsers want https or this machine. */
export const padsAllowed = (): boolean => window.isSecureContext && typeof navigator.getGamepads === "function";

/** Read the first pad again and again; what ends that. After a let-go the dead-man button has to be pressed anew. */
export function watchPad(onShares: (shares: Six) => void, onRelease: () => void): () => void {
  if (!padsAllowed()) return () => undefined;
  let moving = false, spent = false;
  const release = (): void => {
    if (moving) onRelease();
    moving = false;
  };
  const off = onLetGo(() => {
    spent = padHeld.value;
    release();
  });
  const look = (): void => {
    const pad = navigator.getGamepads().find((each) => each?.connected) ?? null;
    padName.value = pad ? plainName(pad.id) : "";
    padHeld.value = pad !== null && isDeadManHeld(pad);
    if (!padHeld.value) spent = false;
    if (!pad || spent || document.visibilityState !== "visible" || !document.hasFocus()) return release();
    const shares = padShares(pad);
    if (isZero(shares)) return release();
    moving = true;
    onShares(shares);
  };
  const timer = window.setInterval(look, EVERY);
  return () => {
    window.clearInterval(timer);
    off();
    release();
    padHeld.value = false;
  };
}
