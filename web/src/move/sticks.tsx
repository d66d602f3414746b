/** Two sticks on the screen: one moves the tool, one turns it, each with a lever for the third axis. */

import type { JSX } from "preact";
import { Stick } from "../parts/stick";
import { t } from "../texts";
import { alongChosen, canJog, stream } from "./jogging";
import { isZero, type Six, softened, softenedPair } from "./shares";

function ask(source: string, shares: Six): void {
  if (isZero(shares)) stream.end(source);
  else stream.ask(source, alongChosen(shares));
}

/** Up is +X and left is +Y: as seen from behind the arm's base. */
export const moved = (x: number, y: number): Six => {
  const [right, up] = softenedPair(x, y);
  return [up, -right || 0, 0, 0, 0, 0];
};
/** Up tips the tool forward, about +Y; right rolls it to the right, about +X. */
export const turned = (x: number, y: number): Six => {
  const [right, up] = softenedPair(x, y);
  return [0, 0, 0, right, up, 0];
};

export function Sticks(): JSX.Element {
  const off = !canJog.value;
  return (
    <section class="move-sticks" aria-label={t("move.stick")}>
      <div>
        <h2>{t("move.moves")}</h2>
        <Stick label="X Y" disabled={off} marks={{ up: "+X", down: "−X", left: "+Y", right: "−Y" }}
          onPush={(x, y) => ask("stick", moved(x, y))} onRelease={() => stream.end("stick")} />
        <Stick label="Z" lever disabled={off} marks={{ left: "−Z", right: "+Z" }}
          onPush={(x) => ask("lever", [0, 0, softened(x), 0, 0, 0])} onRelease={() => stream.end("lever")} />
      </div>
      <div>
        <h2>{t("move.turns")}</h2>
        <Stick label="A B" disabled={off} marks={{ up: "+B", down: "−B", left: "−A", right: "+A" }}
          onPush={(x, y) => ask("turn", turned(x, y))} onRelease={() => stream.end("turn")} />
        <Stick label="C" lever disabled={off} marks={{ left: "+C", right: "−C" }}
          onPush={(x) => ask("yaw", [0, 0, 0, 0, 0, -softened(x) || 0])} onRelease={() => stream.end("yaw")} />
      </div>
    </section>
  );
}
