import type { Motion } from "../../src/messages";

/** What the cell would say of two joints at a time. */
export function motionAt(time: number, over: Partial<Motion> = {}): Motion {
  return {
    key: "motion", time, q: [time, 2 * time], v: [1, 2], a: [0, 0], torque: [3, 4], measured_q: [time - 0.01, null],
    measured_torque: [3.5, null], xyz: [0, 0, 0], rpy: [0, 0, 0], actual_xyz: [0, 0, 0], actual_rpy: [0, 0, 0], speed: 0, late: 2e-5, work: 1e-4, round_trip: null, progress: 0, ...over,
  };
}
