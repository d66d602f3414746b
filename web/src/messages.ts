// Made from src/armillary/interfaces/http/messages.py by `make messages`. Do not edit.

/** Where everything is, sixty times a second. */
export interface Motion {
  readonly key: "motion";
  readonly time: number;
  readonly q: readonly number[];
  readonly v: readonly number[];
  readonly a: readonly number[];
  readonly torque: readonly number[];
  readonly measured_q: readonly (number | null)[];
  readonly measured_torque: readonly (number | null)[];
  readonly xyz: readonly number[];
  readonly rpy: readonly number[];
  readonly actual_xyz: readonly number[];
  readonly actual_rpy: readonly number[];
  readonly speed: number;
  readonly late: number;
  readonly work: number;
  readonly round_trip: number | null;
  readonly progress: number;
}

/** Who moves the robot. */
export interface Control {
  readonly session: string;
  readonly name: string;
  readonly link: boolean;
  readonly asked_by: string;
}

/** What the cell is in; told when it changes. */
export interface Status {
  readonly key: "status";
  readonly state: string;
  readonly mode: string;
  readonly moves: boolean;
  readonly certified: boolean;
  readonly rate: number;
  readonly fault: string;
  readonly driver: string;
  readonly simulated: boolean;
  readonly control: Control;
  readonly tool: string;
  readonly frame: string;
  readonly held_by: string;
  readonly contacts: number;
  readonly recording: string;
  readonly recorded: number;
  readonly trouble: string;
  readonly viewers: number;
  readonly alarms: number;
  readonly lost: number;
  readonly late_ticks: boolean;
}

/** The program that runs, or ran last. */
export interface ProgramState {
  readonly key: "program";
  readonly state: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly read_line: number;
  readonly moves: number;
  readonly seconds: number;
  readonly step: boolean;
  readonly error: string;
  readonly said: readonly string[];
}

export interface Variable {
  readonly name: string;
  readonly value: number;
}

/** What the program has set, its calls and its modes. */
export interface Variables {
  readonly key: "variables";
  readonly variables: readonly Variable[];
  readonly calls: readonly string[];
  readonly modes: readonly string[];
}

export interface InputsOutputs {
  readonly key: "io";
  readonly inputs: readonly boolean[];
  readonly outputs: readonly boolean[];
  readonly analog_inputs: readonly (number | null)[];
  readonly analog_outputs: readonly number[];
  readonly forced: readonly number[];
  readonly forced_analog: readonly number[];
}

/** Two parts: links, or what stands around. */
export interface Pair {
  readonly a: string;
  readonly b: string;
}

/** The two parts that are nearest to each other where the robot is measured to be, and where; in the world. */
export interface Nearest {
  readonly key: "nearest";
  readonly a: string;
  readonly b: string;
  readonly distance: number;
  readonly at_a: readonly number[];
  readonly at_b: readonly number[];
  readonly touching: readonly Pair[];
}

/** Where the bones of who is imitated are, upright: x ahead, z up. */
export interface PersonPlaces {
  readonly key: "person";
  readonly places: readonly number[];
}

export interface Alarm {
  readonly key: "alarm";
  readonly number: number;
  readonly at: string;
  readonly cause: string;
  readonly joint: string;
  readonly value: number | null;
  readonly limit: number | null;
  readonly text: string;
  readonly remedy: string;
}

/** Something that this browser should know: what it asked for is not done, and why. */
export interface Notice {
  readonly key: "notice";
  readonly kind: string;
  readonly text: string;
}

export interface Pong {
  readonly key: "pong";
  readonly number: number;
}

/** Answered at once: how old the link is. */
export interface Ping {
  readonly key: "ping";
  readonly number: number;
}

/** Move while this comes again and again: it holds for a tenth of a second. */
export interface Jog {
  readonly key: "jog";
  readonly kind: string;
  readonly speeds: readonly number[];
  readonly frame: string;
}

/** Somebody still holds what is held to run. */
export interface Press {
  readonly key: "press";
}

/** Nobody does any more. */
export interface Release {
  readonly key: "release";
}

export interface StopNow {
  readonly key: "stop";
  readonly category: number;
}

/** Whether the page is seen: one that is not moves nothing. */
export interface Focus {
  readonly key: "focus";
  readonly seen: boolean;
}

/** A frame of a person's motion, where that is chosen as what is imitated. */
export interface PersonFrame {
  readonly key: "frame";
  readonly values: readonly number[];
}

export type ToBrowser = Motion | Status | ProgramState | Variables | InputsOutputs | Nearest | PersonPlaces | Alarm | Notice | Pong;

export type FromBrowser = Ping | Jog | Press | Release | StopNow | Focus | PersonFrame;

type Values = readonly unknown[];

function list<T>(values: unknown, each: (value: unknown) => T): T[] {
  return (values as Values).map(each);
}

const plain = <T>(value: unknown): T => value as T;

function readMotion(values: Values): Motion {
  return {
    key: "motion",
    time: plain<number>(values[0]),
    q: plain<readonly number[]>(values[1]),
    v: plain<readonly number[]>(values[2]),
    a: plain<readonly number[]>(values[3]),
    torque: plain<readonly number[]>(values[4]),
    measured_q: plain<readonly (number | null)[]>(values[5]),
    measured_torque: plain<readonly (number | null)[]>(values[6]),
    xyz: plain<readonly number[]>(values[7]),
    rpy: plain<readonly number[]>(values[8]),
    actual_xyz: plain<readonly number[]>(values[9]),
    actual_rpy: plain<readonly number[]>(values[10]),
    speed: plain<number>(values[11]),
    late: plain<number>(values[12]),
    work: plain<number>(values[13]),
    round_trip: plain<number | null>(values[14]),
    progress: plain<number>(values[15]),
  };
}

function readControl(values: Values): Control {
  return {
    session: plain<string>(values[0]),
    name: plain<string>(values[1]),
    link: plain<boolean>(values[2]),
    asked_by: plain<string>(values[3]),
  };
}

function readStatus(values: Values): Status {
  return {
    key: "status",
    state: plain<string>(values[0]),
    mode: plain<string>(values[1]),
    moves: plain<boolean>(values[2]),
    certified: plain<boolean>(values[3]),
    rate: plain<number>(values[4]),
    fault: plain<string>(values[5]),
    driver: plain<string>(values[6]),
    simulated: plain<boolean>(values[7]),
    control: readControl(values[8] as Values),
    tool: plain<string>(values[9]),
    frame: plain<string>(values[10]),
    held_by: plain<string>(values[11]),
    contacts: plain<number>(values[12]),
    recording: plain<string>(values[13]),
    recorded: plain<number>(values[14]),
    trouble: plain<string>(values[15]),
    viewers: plain<number>(values[16]),
    alarms: plain<number>(values[17]),
    lost: plain<number>(values[18]),
    late_ticks: plain<boolean>(values[19]),
  };
}

function readProgramState(values: Values): ProgramState {
  return {
    key: "program",
    state: plain<string>(values[0]),
    name: plain<string>(values[1]),
    file: plain<string>(values[2]),
    line: plain<number>(values[3]),
    read_line: plain<number>(values[4]),
    moves: plain<number>(values[5]),
    seconds: plain<number>(values[6]),
    step: plain<boolean>(values[7]),
    error: plain<string>(values[8]),
    said: plain<readonly string[]>(values[9]),
  };
}

function readVariable(values: Values): Variable {
  return {
    name: plain<string>(values[0]),
    value: plain<number>(values[1]),
  };
}

function readVariables(values: Values): Variables {
  return {
    key: "variables",
    variables: list(values[0], (each) => readVariable(each as Values)),
    calls: plain<readonly string[]>(values[1]),
    modes: plain<readonly string[]>(values[2]),
  };
}

function readInputsOutputs(values: Values): InputsOutputs {
  return {
    key: "io",
    inputs: plain<readonly boolean[]>(values[0]),
    outputs: plain<readonly boolean[]>(values[1]),
    analog_inputs: plain<readonly (number | null)[]>(values[2]),
    analog_outputs: plain<readonly number[]>(values[3]),
    forced: plain<readonly number[]>(values[4]),
    forced_analog: plain<readonly number[]>(values[5]),
  };
}

function readPair(values: Values): Pair {
  return {
    a: plain<string>(values[0]),
    b: plain<string>(values[1]),
  };
}

function readNearest(values: Values): Nearest {
  return {
    key: "nearest",
    a: plain<string>(values[0]),
    b: plain<string>(values[1]),
    distance: plain<number>(values[2]),
    at_a: plain<readonly number[]>(values[3]),
    at_b: plain<readonly number[]>(values[4]),
    touching: list(values[5], (each) => readPair(each as Values)),
  };
}

function readPersonPlaces(values: Values): PersonPlaces {
  return {
    key: "person",
    places: plain<readonly number[]>(values[0]),
  };
}

function readAlarm(values: Values): Alarm {
  return {
    key: "alarm",
    number: plain<number>(values[0]),
    at: plain<string>(values[1]),
    cause: plain<string>(values[2]),
    joint: plain<string>(values[3]),
    value: plain<number | null>(values[4]),
    limit: plain<number | null>(values[5]),
    text: plain<string>(values[6]),
    remedy: plain<string>(values[7]),
  };
}

function readNotice(values: Values): Notice {
  return {
    key: "notice",
    kind: plain<string>(values[0]),
    text: plain<string>(values[1]),
  };
}

function readPong(values: Values): Pong {
  return {
    key: "pong",
    number: plain<number>(values[0]),
  };
}

/** What a text from the cell says; null for a message that this page does not know. */
export function decode(text: string): ToBrowser | null {
  const values = JSON.parse(text) as Values;
  switch (values[0]) {
    case "motion":
      return readMotion(values.slice(1));
    case "status":
      return readStatus(values.slice(1));
    case "program":
      return readProgramState(values.slice(1));
    case "variables":
      return readVariables(values.slice(1));
    case "io":
      return readInputsOutputs(values.slice(1));
    case "nearest":
      return readNearest(values.slice(1));
    case "person":
      return readPersonPlaces(values.slice(1));
    case "alarm":
      return readAlarm(values.slice(1));
    case "notice":
      return readNotice(values.slice(1));
    case "pong":
      return readPong(values.slice(1));
    default:
      return null;
  }
}

/** A message for the cell, as text. */
export function encode(message: FromBrowser): string {
  switch (message.key) {
    case "ping":
      return JSON.stringify(["ping", message.number]);
    case "jog":
      return JSON.stringify(["jog", message.kind, message.speeds, message.frame]);
    case "press":
      return JSON.stringify(["press"]);
    case "release":
      return JSON.stringify(["release"]);
    case "stop":
      return JSON.stringify(["stop", message.category]);
    case "focus":
      return JSON.stringify(["focus", message.seen]);
    case "frame":
      return JSON.stringify(["frame", message.values]);
  }
}
