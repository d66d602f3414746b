/** A button that works while it is held: released, slid off, lost to another touch, hidden or out of focus, it lets go. */

import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useLetGo } from "./let_go";
import { Repeated } from "./repeated";

const BESIDE = 6; // px: a finger that rolls is still on it

/** Whether a pointer has left what it pressed. It is caught, so the browser does not say it by itself. */
export function isOff(at: { readonly clientX: number; readonly clientY: number }, box: { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number }): boolean {
  return at.clientX < box.left - BESIDE || at.clientX > box.right + BESIDE || at.clientY < box.top - BESIDE || at.clientY > box.bottom + BESIDE;
}

interface Props {
  /** Called at once and again and again while it is held. */
  readonly onHold: () => void;
  readonly onRelease: () => void;
  readonly disabled?: boolean;
  readonly className?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function HoldButton({ onHold, onRelease, disabled, className, label, children }: Props): JSX.Element {
  const [held, setHeld] = useState(false);
  const repeated = useRef(new Repeated()).current;
  const work = useRef({ onHold, onRelease });
  work.current = { onHold, onRelease };

  const release = (): void => {
    if (!repeated.end()) return;
    setHeld(false);
    work.current.onRelease();
  };
  const press = (): void => {
    if (repeated.goesOn || disabled) return;
    setHeld(true);
    repeated.begin(() => work.current.onHold());
  };

  useLetGo(release, disabled);

  return (
    <button
      type="button"
      class={`button hold big ${className ?? ""} ${held ? "held" : ""}`}
      aria-pressed={held}
      aria-label={label}
      disabled={disabled}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        press();
      }}
      onPointerMove={(event) => {
        if (repeated.goesOn && isOff(event, event.currentTarget.getBoundingClientRect())) release();
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onLostPointerCapture={release}
      onKeyDown={(event) => {
        if ((event.key === " " || event.key === "Enter") && !event.repeat) press();
        if (event.key === " ") event.preventDefault();
      }}
      onKeyUp={release}
      onBlur={release}
      onContextMenu={(event) => event.preventDefault()}
    >
      {children}
    </button>
  );
}
