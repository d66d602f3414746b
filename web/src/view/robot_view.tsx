/** The robot in three dimensions, in the middle of every page. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { nearest, person, robot } from "../cell";
import { t } from "../texts";
import { millimetres, nearLook } from "./colours";
import { condition, RobotScene, seen } from "./robot_scene";
import { ghost, layers } from "./shown";
import { NoWebGL, type Side } from "./stage";
import "./robot_view.css";

declare global {
  interface Window {
    armillaryView: { frames: number; triangles: number; ready: boolean; ratio: number; bones: number };
  }
}
window.armillaryView = seen;

export function RobotView(): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null), words = useRef<HTMLDivElement>(null);
  const scene = useRef<RobotScene | null>(null);
  useEffect(() => {
    try {
      scene.current = new RobotScene(canvas.current!, words.current!);
    } catch (error) {
      if (!(error instanceof NoWebGL)) console.error(error);
      condition.value = { kind: "noWebGL", why: "", missing: 0 };
    }
    return () => {
      scene.current?.dispose();
      scene.current = null;
    };
  }, []);
  return (
    <>
      <canvas ref={canvas} role="img" aria-label={t("view.label")} />
      <div ref={words} class="view-words" aria-hidden="true" />
      <Problem again={() => scene.current?.again()} />
      <Buttons look={(side) => scene.current?.look(side)} />
      <Below />
    </>
  );
}

/** One line where there is no picture to see. */
function Problem({ again }: { readonly again: () => void }): JSX.Element | null {
  const { kind, why } = condition.value;
  if (kind === "ready") return null;
  return (
    <div class="view-problem" role={kind === "loading" ? "status" : "alert"} data-view={kind}>
      <span class={kind === "loading" ? "quiet" : ""}>
        {kind === "loading" ? t("view.loading") : kind === "noWebGL" ? t("view.noWebGL") : t("view.failed", { why })}
      </span>
      {kind === "failed" && <button type="button" class="button" onClick={again}>{t("view.again")}</button>}
    </div>
  );
}

type Layer = keyof typeof layers.value;

function Buttons({ look }: { readonly look: (side: Side) => void }): JSX.Element | null {
  const [more, setMore] = useState(false), [unfolded, setUnfolded] = useState(false);
  if (condition.value.kind === "noWebGL") return null;
  return (
    <div class={`over right view-buttons ${unfolded ? "unfolded" : ""}`}>
      <button type="button" class="button view-fold" aria-expanded={unfolded} aria-label={t("view.buttons")} title={t("view.buttons")} data-fold onClick={() => setUnfolded(!unfolded)}>{unfolded ? "✕" : "⋯"}</button>
      <button type="button" class="button" title={t("view.fit")} aria-label={t("view.fit")} data-look="fit" onClick={() => look("fit")}>⤢</button>
      <button type="button" class="button" data-look="top" onClick={() => look("top")}>{t("view.top")}</button>
      <button type="button" class="button" data-look="front" onClick={() => look("front")}>{t("view.front")}</button>
      <Toggle layer="ghost" />
      <button type="button" class="button" aria-expanded={more} data-more onClick={() => setMore(!more)}>{t("view.more")}</button>
      {more && (["frames", "trace", "workspace"] as const).map((layer) => <Toggle key={layer} layer={layer} />)}
    </div>
  );
}

function Toggle({ layer }: { readonly layer: Layer }): JSX.Element {
  const on = layers.value[layer];
  return (
    <button type="button" class={`button view-layer ${layer === "ghost" ? "ghost" : ""}`} aria-pressed={on} data-layer={layer}
      onClick={() => (layers.value = { ...layers.value, [layer]: !on })}>
      {t(`view.${layer}`)}
    </button>
  );
}

/** What is drawn, in words. */
function Below(): JSX.Element {
  const would = layers.value.ghost ? ghost.value : null;
  const { missing } = condition.value;
  return (
    <div class="over below view-below">
      {would?.label && <span class="wouldly" data-ghost>▬▬ {t("view.ghostIs", { label: would.label })}</span>}
      {(person.value?.places.length ?? 0) > 0 && <span class="quiet" data-person>{t("view.person")} <b class="person-left">▬ {t("view.left")}</b> <b class="person-right">▬ {t("view.right")}</b></span>}
      {robot.value?.by_shapes && condition.value.kind === "ready" && <span class="quiet" data-by-shapes>{t("view.byShapes")}</span>}
      {missing > 0 && <span class="quiet">{t("view.missing", { count: missing })}</span>}
      <NearestPair />
    </div>
  );
}

function NearestPair(): JSX.Element | null {
  const now = nearest.value;
  if (!now) return null;
  return (
    <span class="quiet" data-nearest>
      {t("view.nearest", { a: now.a, b: now.b })} <b class={nearLook(now.distance) === "limit" ? "badly" : ""}>{millimetres(now.distance)}</b>
    </span>
  );
}
