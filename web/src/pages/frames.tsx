/** Frames: those that there are, and calibrations of tool, frame and zeros by touching. */

import type { JSX } from "preact";
import { kind } from "../frames/calibration";
import { FrameList } from "../frames/frame_list";
import { Wizard } from "../frames/wizard";
import "./frames.css";
import "./teach.css";

export function FramesPage(): JSX.Element {
  return <div class="teaching calibrating">{kind.value ? <Wizard of={kind.value} /> : <FrameList />}</div>;
}
