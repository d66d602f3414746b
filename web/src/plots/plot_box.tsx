/** A plot with its head: what it is of, in which unit, which line is which, and the values under the cursor. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../texts";
import { lineBreaks, lineColour, type Palette } from "./colours";
import { listen } from "./gestures";
import { type Drawn, type Joint, linesOf, TITLES } from "./lines";
import { Plot } from "./plot";
import { type JointUnit, type Quantity, tracesOf, unitOf, unitsOf, written } from "./quantities";
import { jointLabel } from "../joint_names";
import type { Shot } from "./picture";
import type { Range } from "./range";
import { residual } from "./residual";
import { drawn, see, seenRange, seenSamples, wholeRange } from "./shown";
import { emptyPicture, type Picture, thin } from "./thin";

/** What the stack asks of a plot. */
export interface Drawer {
  readonly draw: () => void;
  readonly shot: () => Shot | null;
  readonly lines: () => readonly Drawn[];
}

interface Props {
  readonly quantity: Quantity;
  readonly joints: readonly Joint[];
  readonly chosen: readonly number[];
  readonly palette: Palette;
  readonly last: boolean;
  readonly enter: (drawer: Drawer) => () => void;
}

export function PlotBox(props: Props): JSX.Element {
  const { quantity, joints, chosen, palette, last } = props;
  const box = useRef<HTMLDivElement>(null), values = useRef<HTMLSpanElement>(null), rest = useRef<HTMLElement>(null);
  const units: readonly JointUnit[] = quantity === "late" ? ["rad"] : chosen.map((joint) => joints[joint]?.unit ?? "rad");
  const traces = tracesOf(quantity);
  useEffect(() => {
    const painter = new Painter(props, box.current!, values.current!, rest.current);
    const leave = props.enter(painter);
    return () => {
      leave();
      painter.end();
    };
  }, [quantity, joints, chosen, palette, last]);
  return (
    <figure class="plot" data-plot={quantity}>
      <figcaption>
        <b>{t(TITLES[quantity])} [{unitsOf(quantity, units)}]</b>
        {traces.length > 1 && traces.map((trace) => <span key={trace.source} class={`trace ${trace.kind}`}>{t(trace.text)}</span>)}
        {quantity === "error" && <span class="quiet">{t("plots.errorHow")}</span>}
        <span class="values" ref={values} data-values>
          {(quantity === "late" ? [-1] : chosen).map((joint, place) => (
            <span key={joint} title={joints[joint]?.name}>
              {chosen.length > 1 && joint >= 0 && <Sample colour={lineColour(palette, "main", place, chosen.length)} breaks={lineBreaks("main", place)} />}
              {joint < 0 ? "" : jointLabel(joints[joint]?.name ?? "")} <b>—</b>
            </span>
          ))}
        </span>
        {quantity === "torque" && <span class="rest quiet">{t("plots.residual")} <b ref={rest} data-residual>—</b></span>}
      </figcaption>
      <div class="drawing" ref={box} />
    </figure>
  );
}

/** A piece of a line, as it is drawn. */
function Sample({ colour, breaks }: { readonly colour: string; readonly breaks: readonly number[] }): JSX.Element {
  return (
    <svg class="sample" viewBox="0 0 26 4" aria-hidden="true">
      <line x1="0" y1="2" x2="26" y2="2" stroke={colour} stroke-width="2" stroke-dasharray={breaks.join(" ")} />
    </svg>
  );
}

/** Draws one plot again and again without making anything anew. */
class Painter implements Drawer {
  private plot: Plot | null = null;
  private drawnLines: readonly Drawn[] = [];
  private picture: Picture = emptyPicture(0);
  private told = 0;
  private readonly watch: ResizeObserver;
  private deaf: () => void = () => undefined;

  constructor(
    private readonly props: Props,
    private readonly box: HTMLElement,
    private readonly values: HTMLElement,
    private readonly rest: HTMLElement | null,
  ) {
    this.watch = new ResizeObserver(() => this.plot?.resize(this.box.clientWidth, this.box.clientHeight));
    this.watch.observe(box);
  }

  draw(): void {
    const now = drawn();
    if (!now || this.props.joints.length === 0) return;
    this.fit(linesOf(this.props.quantity, this.props.chosen, this.props.joints, now.history, this.props.palette));
    const range = seenRange(), [from, end] = seenSamples(now.history, now.origin, range);
    const most = Math.max(200, 2 * this.box.clientWidth);
    thin(now.history.ring, this.drawnLines, from, end, most, now.origin, this.picture);
    this.plot?.draw(this.picture, range);
    // Words change ten times a second at most: they are there to be read.
    if (performance.now() - this.told < 100) return;
    this.told = performance.now();
    this.tellValues();
    this.tellResidual(now.history.ring, from, end);
  }

  shot(): Shot | null {
    if (!this.plot) return null;
    const { quantity } = this.props, units = [...new Set(this.drawnLines.map((line) => line.unit))].join(", ");
    return { canvas: this.plot.canvas, title: `${t(TITLES[quantity])} [${units}]`, note: this.rest ? `${t("plots.residual")} ${this.rest.textContent}` : "" };
  }

  lines(): readonly Drawn[] {
    return this.drawnLines;
  }

  end(): void {
    this.watch.disconnect();
    this.deaf();
    this.plot?.destroy();
  }

  /** A new plot where other lines are to be drawn than before: a motor side that begins to measure adds some. */
  private fit(lines: readonly Drawn[]): void {
    const same = this.plot && lines.length === this.drawnLines.length && lines.every((line, index) => line.name === this.drawnLines[index]!.name);
    const first = this.drawnLines;
    this.drawnLines = lines;
    if (same && first.length) return;
    this.deaf();
    this.plot?.destroy();
    this.picture = emptyPicture(lines.length);
    const { quantity, palette, last } = this.props;
    const least = Math.min(...lines.map((line) => unitOf(quantity, this.props.joints[line.joint]?.unit ?? "rad").least), 1e9);
    this.plot = new Plot(this.box, { lines, palette, least, bare: false, last, onRange: (range: Range) => see(range) });
    this.deaf = listen(this.plot.over, { range: seenRange, whole: wholeRange, show: see });
  }

  private tellValues(): void {
    const pointed = this.plot?.pointed ?? null, spots = this.values.querySelectorAll("b");
    const mains = this.drawnLines.filter((line) => line.main);
    mains.forEach((line, index) => {
      const values = this.picture.values[this.drawnLines.indexOf(line)] ?? [];
      const value = pointed === null ? newest(values) : values[pointed] ?? null;
      const spot = spots[index];
      if (!spot) return;
      spot.textContent = written(value, line.digits);
      spot.style.color = line.colour;
    });
  }

  /** The worst of the joints that are seen: where the model is furthest from the robot. */
  private tellResidual(ring: Parameters<typeof residual>[0], from: number, end: number): void {
    if (!this.rest) return;
    let worst: number | null = null, whose = "", unit = "";
    for (const measured of this.drawnLines.filter((line) => line.main)) {
      const estimated = this.drawnLines.find((line) => !line.main && line.joint === measured.joint);
      const found = estimated ? residual(ring, measured.column, estimated.column, from, end) : null;
      if (found === null || (worst !== null && found <= worst)) continue;
      worst = found;
      whose = measured.label;
      unit = measured.unit;
    }
    this.rest.textContent = worst === null ? "—" : `${worst.toFixed(2)} ${unit}${whose ? ` (${whose})` : ""}`;
  }
}

function newest(values: readonly (number | null)[]): number | null {
  for (let index = values.length - 1; index >= 0; index -= 1) if (values[index] !== null) return values[index]!;
  return null;
}
