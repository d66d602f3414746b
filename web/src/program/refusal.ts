/** What a program or a typed line was refused for, in words without places that nobody knows. */

import { spoken } from "../spoken";
import { t } from "../texts";
import { Refused } from "../refused";

interface Placed {
  readonly line: number; // 0 where none is named
  readonly column: number;
  readonly text: string;
}

/** The first line of an error, with the place taken off: "bad.ngc:3:8: 'y' is no operator ... (bad.ngc:3)". */
export function placeOf(error: string): Placed {
  const first = (error.split("\n")[0] ?? "").trim();
  const found = /^[^:]*:(\d+)(?::(\d+))?:\s+(.*)$/.exec(first);
  const text = (found?.[3] ?? first).replace(/\s*\([^\s():]*:\d+(?::\d+)?\)(?=[;.]?$)/, "");
  return { line: Number(found?.[1] ?? 0), column: Number(found?.[2] ?? 0), text };
}

/** Of a typed line: it is the only one, so where in it is enough. */
export function typedRefusal(error: unknown): string {
  const { column, text } = placeOf(error instanceof Error ? error.message : String(error));
  return column > 0 ? t("program.atColumn", { column, text: spoken(text) }) : spoken(text);
}

/** Of a program: the first problem with its line; null where it is no problem of the text. */
export function programRefusal(error: unknown): string | null {
  if (!(error instanceof Refused) || !error.kind.startsWith("Bad")) return null;
  const { line, text } = placeOf(error.message);
  return line > 0 ? t("program.atLine", { line, text: spoken(text) }) : null;
}
