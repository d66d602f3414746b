/** What the cell says, in the language of the page where its words are known; as it is where they are not. */

import { language } from "./texts";
import { SPOKEN_CELL } from "./texts/spoken_cell";
import { SPOKEN_PROGRAMS } from "./texts/spoken_programs";
import { SPOKEN_TRAIL } from "./texts/spoken_trail";

interface Known {
  readonly within: RegExp; // whose gaps do not go beyond a sentence's part
  readonly beyond: RegExp; // whose gaps take anything
  readonly chinese: string;
  readonly fast: readonly string[]; // what stands fast between the gaps
  readonly literal: number; // characters that stand fast
}

const GAP = /\{(\w+)\}/g;
const REMEMBERED = 500; // texts
const LONGEST = 800; // characters of a line that are looked through

/** Words of the cell's that stand in gaps of these names alone: elsewhere they may be somebody's names. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  axes: { joints: "关节", base: "基座", tool: "工具", frame: "坐标系", zeros: "零位" },
  rank: { nobody: "未登录", viewer: "观察者", operator: "操作员", programmer: "编程员", administrator: "管理员" },
  mode: { manual: "手动", automatic: "自动" },
};

/** What a gap takes, by its name. */
function taken(name: string, beyond: boolean): string {
  if (name === "word") return "\\S+?";
  if (name === "amount") return "[-+\\d.e]+ \\S+";
  if (name === "meets") return "hits|comes within \\S+ mm of";
  if (name === "axes" || name === "rank") return Object.keys(WORDS[name] ?? {}).join("|");
  if (name === "along") return "after \\S+ % of the path(?: \\([^()]*\\))?";
  return beyond ? ".+?" : "(?:(?!; ).)+?";
}

function expression(english: string, beyond: boolean): RegExp {
  const escaped = english.replace(/[.*+?^$()|[\]\\/]/g, "\\$&");
  return new RegExp(`^${escaped.replace(GAP, (_, name: string) => `(?<${name}>${taken(name, beyond)})`)}$`);
}

const KNOWN: readonly Known[] = [...SPOKEN_CELL, ...SPOKEN_PROGRAMS, ...SPOKEN_TRAIL]
  .map(([english, chinese]) => ({
    within: expression(english, false), beyond: expression(english, true), chinese,
    fast: english.split(/\{\w+\}/), literal: english.replace(GAP, "").length,
  }))
  .sort((one, other) => other.literal - one.literal); // what says more goes first

/** Whether all that stands fast is there, in its order: so that few have to be looked at closely. */
function mayBe({ fast }: Known, text: string): boolean {
  let from = 0;
  for (const piece of fast) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return text.startsWith(fast[0] ?? "") && text.endsWith(fast.at(-1) ?? "");
}

/** A text that is one of those known; what stands in its gaps is put in, itself in Chinese where it is known too. */
function whole(text: string, beyond: boolean): string | null {
  for (const known of KNOWN) {
    const found = !mayBe(known, text) ? null : (beyond ? known.beyond : known.within).exec(text);
    const gaps = Object.entries(found?.groups ?? {}).map(([name, value]) => [name, value, WORDS[name]?.[value] ?? inChinese(value)] as const);
    if (!found || gaps.some(([name, , said]) => name === "known" && said === null)) continue;
    const values = Object.fromEntries(gaps.map(([name, value, said]) => [name, said ?? value]));
    return known.chinese.replace(GAP, (_, name: string) => values[name] ?? "");
  }
  return null;
}

/** Parts with a sign between them, where each is known, alone or together with those that follow. */
function parts(text: string, sign: string, joined: string): string | null {
  const pieces = text.split(sign);
  if (pieces.length < 2 || pieces.length > 12) return null;
  const found: string[] = [];
  for (let from = 0; from < pieces.length; ) {
    let end = from === 0 ? pieces.length - 1 : pieces.length, said: string | null = null;
    for (; end > from && said === null; end--) {
      const some = pieces.slice(from, end).join(sign);
      said = end - from === 1 ? inChinese(some) : whole(some, false);
    }
    if (said === null) return null;
    found.push(said);
    from = end + 1;
  }
  return found.join(joined);
}

/** Behind a file's line, or a joint's name, that stays as it is. */
function behind(text: string, prefix: RegExp): string | null {
  const found = prefix.exec(text), said = found ? inChinese(found[2] ?? "") : null;
  return found && said !== null ? `${found[1]}: ${said}` : null;
}

/** Before something in parentheses, that stays as it is. */
function before(text: string): string | null {
  const found = /^(.+) (\([^()]*\))$/.exec(text), said = found ? inChinese(found[1] ?? "") : null;
  return found && said !== null ? `${said} ${found[2]}` : null;
}

/** A text of the cell's in Chinese; null where its words are not known. */
export function inChinese(text: string): string | null {
  if (text.includes("\n")) {
    const [first = "", ...rest] = text.split("\n"), said = inChinese(first);
    return said === null ? null : [said, ...rest.map((line) => inChinese(line) ?? line)].join("\n");
  }
  if (text.length > LONGEST) return null;
  if (text === "" || text === "...") return text ? "……" : null; // and so on
  return (
    behind(text, /^(\S+:\d+(?::\d+)?): (.+)$/) ?? whole(text, false) ?? parts(text, "; ", "；") ?? parts(text, " and ", "，且 ")
    ?? before(text) ?? parts(text, ": ", "：") ?? behind(text, /^([^\s:]+): (.+)$/) ?? whole(text, true)
  );
}

const remembered = new Map<string, string | null>();

function known(text: string): string | null {
  let said = remembered.get(text);
  if (said === undefined) {
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(text, (said = inChinese(text)));
  }
  return said;
}

/** In the language of the page; null where that is another than the cell's and its words are not known. */
export const spokenOrNot = (text: string): string | null => (language.value === "zh" ? known(text) : text);

/** In the language of the page where it can be said in it. */
export const spoken = (text: string): string => spokenOrNot(text) ?? text;
