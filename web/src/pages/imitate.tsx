/** Imitate: the robot does what a person does, from a file or live, while the clutch is closed. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { attempt } from "../cell";
import { Begin } from "../imitate/begin";
import { imitated, look } from "../imitate/imitation";
import { Now } from "../imitate/now";
import "./imitate.css";
import "./teach.css";

const AGAIN = 1000; // ms
const AGAIN_LIVE = 300; // ms, while somebody is imitated: how far each limb is off is to be seen

export function ImitatePage(): JSX.Element {
  useEffect(() => {
    let timer = 0, over = false;
    const again = async (): Promise<void> => {
      if (document.visibilityState === "visible") await look().catch(() => undefined);
      if (!over) timer = window.setTimeout(() => void again(), imitated.peek() ? AGAIN_LIVE : AGAIN);
    };
    void attempt(look).then(again);
    return () => {
      over = true;
      window.clearTimeout(timer);
    };
  }, []);
  return <div class="teaching imitating">{imitated.value ? <Now now={imitated.value} /> : <Begin />}</div>;
}
