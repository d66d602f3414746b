/** What nobody has proven is said before it moves. */

import type { JSX } from "preact";
import { t } from "../texts";

export function NotProven(): JSX.Element {
  return <p class="note not-proven-note" data-not-proven-note>▲ {t("imitate.notProven")}</p>;
}
