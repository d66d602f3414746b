/** The frame around all pages: status and STOP on top, pages on the left, the robot in the middle, the page's panel on the right. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Bottom } from "./bottom";
import { letGo, person, robot, send, status, stopNow } from "./cell";
import { WayBack } from "./frames/way_back";
import { linked } from "./link";
import { open, opening, page, PAGES } from "./pages";
import { ToastLine } from "./parts/toast_line";
import { TorqueStrip } from "./parts/torque_strip";
import { Rail } from "./rail";
import { t } from "./texts";
import { SecondLine, Top } from "./top";
import { Tour } from "./tour";
import { RobotView } from "./view/robot_view";

export function Frame(): JSX.Element {
  const here = PAGES.find((each) => each.name === page.value) ?? PAGES[0]!;
  const [closed, setClosed] = useState(false);
  useKeysAndFocus();
  return (
    <div class={`frame ${here.wide ? "wide" : ""} ${linked.value ? "" : "stale"}`}>
      <Top />
      <SecondLine />
      <Rail here={opening.value || here.name} onOpen={(name) => { letGo(); open(name); setClosed(name === here.name && !closed); }} />
      <main class="view">
        <RobotView />
        <NotProven />
        <WayBack />
        {here.name === "program" && robot.value && <TorqueStrip joint={carrying(robot.value.joints.length)} />}
      </main>
      <aside class={`panel ${closed ? "closed" : ""}`} key={here.name}>
        {!linked.value && <div class="banner" role="alert">{t("top.stale")}</div>}
        <here.panel />
      </aside>
      <Bottom />
      <ToastLine />
      <Tour />
    </div>
  );
}

/** While the robot goes where another master or a person says, nothing of its way is proven before it is driven. */
function NotProven(): JSX.Element | null {
  if (!linked.value || status.value?.certified !== false) return null;
  return <p class="not-proven" role="status" data-not-proven>▲ {person.value?.places.length ? t("top.imitates") : t("top.notProven")}</p>;
}

/** The joint whose torque says most of an arm: the second carries it all. */
const carrying = (joints: number): number => Math.min(1, joints - 1);

/** Esc stops; a page that is hidden or out of focus lets go of whatever it holds. */
function useKeysAndFocus(): void {
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.key === "Escape") stopNow();
    };
    const hidden = (): void => {
      const seen = document.visibilityState === "visible";
      if (!seen) letGo();
      send({ key: "focus", seen });
    };
    window.addEventListener("keydown", key, true);
    window.addEventListener("blur", letGo);
    window.addEventListener("pagehide", letGo);
    document.addEventListener("visibilitychange", hidden);
    return () => {
      window.removeEventListener("keydown", key, true);
      window.removeEventListener("blur", letGo);
      window.removeEventListener("pagehide", letGo);
      document.removeEventListener("visibilitychange", hidden);
    };
  }, []);
}
