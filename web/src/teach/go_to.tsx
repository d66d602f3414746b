/** Go to a point: first in blue what would happen, then the robot, while it is held. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { post } from "../api";
import { attempt, canMove, inControl, motion, needsKey, status } from "../cell";
import { Choice } from "../parts/choice";
import { HeldOrder } from "../parts/held_order";
import { HoldButton } from "../parts/hold";
import { spoken } from "../spoken";
import { t } from "../texts";
import { ghost, preview } from "../view/shown";
import type { TaughtPoint } from "./taught";
import { onTheWay } from "./way";

interface Previewed {
  readonly q: readonly number[];
  readonly path: readonly (readonly number[])[];
  readonly points: readonly (readonly [number, number, number])[];
  readonly duration: number;
  readonly notes: readonly string[];
}

export function GoTo({ point }: { readonly point: TaughtPoint }): JSX.Element {
  const [kind, setKind] = useState<"joints" | "line">("joints");
  const [way, setWay] = useState<Previewed | null>(null);
  const [asking, setAsking] = useState(false);
  const goal = { goal: { point: point.name }, kind, frame: "" };
  const key = `${point.name} ${point.at} ${kind}`;

  // Where it would be is known at once; how it would go there is asked for.
  useEffect(() => {
    setWay(null);
    preview.value = null;
    ghost.value = point.q.length === motion.value?.q.length ? { q: point.q, label: t("teach.ghost", { name: point.name }) } : null;
    return () => {
      ghost.value = preview.value = null;
    };
  }, [key]);

  const show = async (): Promise<void> => {
    setAsking(true);
    const found = await attempt(() => post<Previewed>("/preview", goal));
    setAsking(false);
    if (!found) return;
    setWay(found);
    ghost.value = { q: found.q, label: t("teach.ghost", { name: point.name }) };
    preview.value = { points: found.points };
  };

  const left = way !== null && motion.value !== null && !onTheWay(motion.value.q, way.path);
  return (
    <div class="go-to">
      <div class="row">
        <Choice label={t("teach.wayKind")} value={kind} onChoose={setKind}
          of={[{ value: "joints", label: t("teach.byJoints") }, { value: "line", label: t("teach.straight") }]} />
        <button type="button" class="button would grow" data-preview disabled={asking} onClick={() => void show()}>
          {asking ? t("teach.planning") : way && !left ? t("teach.previewAgain") : t("teach.preview")}
        </button>
      </div>
      <p class={`note ${left ? "badly" : "quiet"}`}>
        {left ? t("teach.leftWay") : way ? <>{t("teach.takes")} <b>{way.duration.toFixed(1)} s</b>{way.notes.map((note) => <> · {spoken(note)}</>)}</> : t("teach.previewFirst")}
      </p>
      <Go name={point.name} ready={way !== null && !left} order={() => attempt(() => post("/move", goal))} />
    </div>
  );
}

interface GoProps {
  readonly name: string;
  readonly ready: boolean;
  readonly order: () => Promise<unknown>;
  readonly plays?: boolean; // a path, and not a way to a point
}

/** The button that moves: held in manual mode, touched once in automatic. */
export function Go({ name, ready, order, plays }: GoProps): JSX.Element {
  const latest = useRef(order);
  latest.current = order;
  const held = useMemo(() => new HeldOrder({ order: () => latest.current() }), []);
  const words = t(plays ? "teach.holdPlay" : "teach.hold", { name });
  const able = ready && canMove.value;
  const why = !inControl.value ? t(needsKey()) : ready && !canMove.value ? t("teach.notReady") : "";
  return (
    <div class="go">
      {status.value?.mode === "automatic" ? (
        <button type="button" class="button would big" data-go disabled={!able} onClick={() => void order()}>{t(plays ? "teach.play" : "teach.go", { name })}</button>
      ) : (
        <HoldButton className="would" label={words} disabled={!able} onHold={held.hold} onRelease={held.release}>
          {words}
        </HoldButton>
      )}
      {why && <p class="note quiet">{why}</p>}
    </div>
  );
}
