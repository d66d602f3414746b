/** The one frame that is active: the tool is jogged along its axes, poses are shown and typed in it, and the bottom line says it. */

import { computed, signal } from "@preact/signals";
import { get } from "../api";
import { robot, status } from "../cell";
import { onSessionEnd } from "../session";
import type { Pose } from "./pose";

/** "base", "tool", or a frame's name. */
export const activeFrame = signal("base");
onSessionEnd(() => (activeFrame.value = "base"));

/** Frames other than base and tool. */
export const otherFrames = computed(() => (robot.value?.frames ?? []).filter((name) => name !== "base" && name !== "tool"));

/** What the active frame is called: the base by what the arm stands on. */
export const activeName = computed(() => (activeFrame.value === "base" ? status.value?.frame || "base" : activeFrame.value));

/** The frame of the pose boxes; "" for what the arm stands on. Where the tool is in itself says nothing. */
export const poseFrame = computed(() => (activeFrame.value === "base" || activeFrame.value === "tool" ? "" : activeFrame.value));

const EVERY = 400; // ms between looks at where the tool is in a frame that the page cannot reckon in
const inFrame = signal<{ readonly frame: string; readonly pose: Pose } | null>(null);

/** The frame that the present pose is told in: the base, until the cell has told it in another. */
export const presentFrame = computed(() => (inFrame.value?.frame === poseFrame.value ? poseFrame.value : ""));

/** Where the tool is, in `presentFrame`; `inBase` says it in the base. */
export const presentPose = (inBase: Pose | null): Pose | null => (presentFrame.value ? (inFrame.value?.pose ?? null) : inBase);

/** Ask once where the tool is in the frame of the pose boxes. */
export async function lookInFrame(): Promise<void> {
  const frame = poseFrame.value;
  if (frame === "") return void (inFrame.value = null);
  const pose = await get<Pose>(`/pose?frame=${encodeURIComponent(frame)}`).catch(() => null);
  if (frame === poseFrame.value) inFrame.value = pose && { frame, pose };
}

/** Ask again and again, as long as poses are shown; what ends that. */
export function watchInFrame(): () => void {
  let asking = false;
  const timer = window.setInterval(() => {
    if (asking || poseFrame.value === "") return;
    asking = true;
    void lookInFrame().finally(() => (asking = false));
  }, EVERY);
  return () => {
    window.clearInterval(timer);
    inFrame.value = null;
  };
}
