/** What the cell makes of touches (POST /api/calibrate/...), as this page reads it. */

/** The cell's answer. `figures` has what only some kinds have. */
export interface Measured {
  readonly kind: "tool" | "frame" | "zero";
  readonly value: Readonly<Record<string, unknown>>;
  readonly xyz: readonly number[] | null;
  readonly rpy: readonly number[] | null;
  readonly offsets: readonly number[] | null;
  readonly residuals: readonly number[];
  readonly rms: number | null;
  readonly spread: number | null;
  readonly figures: Readonly<Record<string, unknown>>;
}

/** A tool's or a frame's place: m, rad; residuals in the order of the touches. */
export interface PoseFound {
  readonly xyz: readonly number[];
  readonly rpy: readonly number[];
  readonly residuals: readonly number[];
  readonly rms: number;
  readonly outliers: readonly number[]; // touches by number from 0, worst first
  readonly spread: number | null; // of a tool: how much the orientations differ, of the most that they can: 0 to 1
  readonly uncertainty: readonly (number | null)[]; // of xyz, where it is known
}

/** What must be added to the joints' readings [rad or m]. */
export interface ZerosFound {
  readonly joints: readonly string[];
  readonly offsets: readonly number[];
  readonly determined: readonly boolean[];
  readonly uncertainty: readonly (number | null)[];
  readonly residuals: readonly number[];
  readonly rms: number | null; // with the offsets; null by marks
  readonly rmsBefore: number | null;
}

const rows = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as T[]) : []);

export function readPose(said: Measured): PoseFound {
  return {
    xyz: said.xyz ?? [0, 0, 0], rpy: said.rpy ?? [0, 0, 0], residuals: said.residuals, rms: said.rms ?? 0, spread: said.spread,
    outliers: rows<number>(said.figures["outliers"]), uncertainty: rows<number | null>(said.figures["uncertainty"]),
  };
}

export function readZeros(said: Measured): ZerosFound {
  const offsets = said.offsets ?? [], before = said.figures["rms_before"], told = rows<boolean>(said.value["determined"]);
  return {
    joints: rows<string>(said.value["joints"]), offsets, determined: told.length ? told : offsets.map(() => true),
    uncertainty: rows<number | null>(said.figures["uncertainty"]), residuals: said.residuals, rms: said.rms,
    rmsBefore: typeof before === "number" ? before : null,
  };
}
