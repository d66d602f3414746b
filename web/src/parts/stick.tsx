/** A stick on the screen, or a lever that goes one way: pushed by touch or mouse, it springs back when it is let go. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { kept } from "../move/shares";
import { useLetGo } from "./let_go";

interface Props {
  /** How far it is pushed, right and up, -1 to 1. */
  readonly onPush: (x: number, y: number) => void;
  readonly onRelease: () => void;
  readonly label: string;
  readonly marks: { readonly left: string; readonly right: string; readonly up?: string; readonly down?: string };
  readonly lever?: boolean; // left and right only
  readonly disabled?: boolean;
}

export function Stick({ onPush, onRelease, label, marks, lever, disabled }: Props): JSX.Element {
  const [held, setHeld] = useState(false);
  const pointer = useRef<number | null>(null), ring = useRef<HTMLDivElement>(null), knob = useRef<HTMLElement>(null);
  const work = useRef({ onPush, onRelease });
  work.current = { onPush, onRelease };

  const release = (): void => {
    if (pointer.current === null) return;
    const id = pointer.current;
    pointer.current = null;
    if (ring.current?.hasPointerCapture(id)) ring.current.releasePointerCapture(id);
    if (knob.current) knob.current.style.transform = "";
    setHeld(false);
    work.current.onRelease();
  };
  const push = (event: PointerEvent): void => {
    const box = ring.current?.getBoundingClientRect();
    if (!box || event.pointerId !== pointer.current) return;
    const radius = box.width / 2 - (knob.current?.offsetWidth ?? 0) / 2;
    const [dx, dy] = kept(event.clientX - box.left - box.width / 2, lever ? 0 : event.clientY - box.top - box.height / 2, radius);
    if (knob.current) knob.current.style.transform = `translate(${dx}px, ${dy}px)`;
    work.current.onPush(dx / radius, -dy / radius || 0);
  };

  useLetGo(release, disabled);

  return (
    <div ref={ring} role="group" aria-label={label} aria-disabled={disabled} data-stick={label} class={`stick ${lever ? "lever" : ""} ${held ? "held" : ""} ${disabled ? "off" : ""}`}
      onPointerDown={(event) => {
        if (event.button !== 0 || disabled || pointer.current !== null) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        pointer.current = event.pointerId;
        setHeld(true);
        push(event);
      }}
      onPointerMove={push}
      onPointerUp={(event) => event.pointerId === pointer.current && release()}
      onPointerCancel={(event) => event.pointerId === pointer.current && release()}
      onLostPointerCapture={(event) => event.pointerId === pointer.current && release()}
      onContextMenu={(event) => event.preventDefault()}>
      {Object.entries(marks).map(([side, text]) => <small key={side} class={side} aria-hidden="true">{text}</small>)}
      <i ref={knob} />
    </div>
  );
}
