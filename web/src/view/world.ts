/** What stands around the robot, as the cell tells it (GET /api/world). SI units, in the world. */

export type Numbers = readonly number[];

export interface WorldObject {
  readonly name: string;
  readonly shape: "box" | "sphere" | "cylinder" | "capsule" | "mesh";
  readonly size: Numbers; // box: edges; sphere: radius; cylinder and capsule: radius, length; mesh: scale
  readonly mesh: string | null; // where its file is
  readonly xyz: Numbers;
  readonly quaternion: Numbers; // w, x, y, z
}

export interface WorldFrame {
  readonly name: string;
  readonly parent: string; // "world", "base", a link, or another frame
  readonly xyz: Numbers;
  readonly rpy: Numbers;
}

export interface Workspace {
  readonly box_min: Numbers | null;
  readonly box_max: Numbers | null;
  readonly planes: readonly { readonly point: Numbers; readonly normal: Numbers }[];
  readonly tool_speed: number | null;
}

export interface World {
  readonly objects: readonly WorldObject[];
  readonly workspace: Workspace;
  readonly base: { readonly xyz: Numbers; readonly quaternion: Numbers }; // T_world_base of what the arm stands on
  readonly frames: readonly WorldFrame[];
}

export const NOTHING_AROUND: World = {
  objects: [],
  workspace: { box_min: null, box_max: null, planes: [], tool_speed: null },
  base: { xyz: [0, 0, 0], quaternion: [1, 0, 0, 0] },
  frames: [],
};
