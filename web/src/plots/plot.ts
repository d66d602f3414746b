/** One plot: uPlot, told what to draw, in the colours of the page. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { scale } from "../parts/scale";
import type { Palette } from "./colours";
import { type Range, spread, steadyRange } from "./range";
import type { Picture } from "./thin";

export interface PlotLine {
  readonly label: string; // at its right end; "" for none
  readonly colour: string;
  readonly breaks: readonly number[]; // lengths of what is drawn and of what is not, in turn [px]; none for a whole line
}

export interface PlotWishes {
  readonly lines: readonly PlotLine[];
  readonly palette: Palette;
  readonly least: number; // the smallest range of values
  readonly bare: boolean; // without axes and cursor
  readonly last: boolean; // the lowest of several: it says the times
  readonly onRange?: (range: Range) => void; // somebody has drawn across it
}

/** The letters of a plot, so high [px]. */
const font = (size: number): string => `${size}px ${FONT}`;
const FONT = 'Inter, "Segoe UI", "DejaVu Sans", "Noto Sans CJK SC", system-ui, sans-serif';
const TOGETHER = "plots"; // cursors of all plots move together

export class Plot {
  private readonly chart: uPlot;
  private seen: Range = [0, 1];
  private values: Range | null = null;

  constructor(
    box: HTMLElement,
    private readonly wishes: PlotWishes,
  ) {
    this.chart = new uPlot(this.options(box), [[], ...wishes.lines.map(() => [])], box);
  }

  get canvas(): HTMLCanvasElement {
    return this.chart.ctx.canvas;
  }

  get over(): HTMLElement {
    return this.chart.over;
  }

  /** Show a picture, from one time to another. */
  draw(picture: Picture, seen: Range): void {
    this.seen = seen;
    this.chart.batch(() => {
      this.chart.setData([picture.times, ...picture.values], false);
      this.chart.setScale("x", { min: seen[0], max: seen[1] });
    });
  }

  resize(width: number, height: number): void {
    if (width < 40 || height < 40 || (width === this.chart.width && height === this.chart.height)) return;
    this.chart.setSize({ width, height });
  }

  /** Which point of the picture is under the cursor of this plot or of another; null where there is none. */
  get pointed(): number | null {
    const { left } = this.chart.cursor;
    return left !== undefined && left !== null && left >= 0 ? this.chart.posToIdx(left) : null;
  }

  destroy(): void {
    this.chart.destroy();
  }

  private options(box: HTMLElement): uPlot.Options {
    const { wishes } = this, { palette, bare } = wishes, labelled = wishes.lines.some((line) => line.label), large = scale();
    const axis: uPlot.Axis = { stroke: palette.quiet, font: font(12 * large), grid: { stroke: palette.grid, width: 1 }, ticks: { show: false } };
    return {
      width: Math.max(40, box.clientWidth), height: Math.max(40, box.clientHeight), legend: { show: false },
      padding: bare ? [4, 2, 4, 2] : [6, (labelled ? 34 : 12) * large, wishes.last ? 0 : 6, 0],
      cursor: bare ? { show: false } : {
        sync: { key: TOGETHER, scales: ["x", null] }, y: false, drag: { x: true, y: false, setScale: false },
        points: { size: 7 },
      },
      scales: {
        x: { time: false, range: () => [this.seen[0], this.seen[1]] },
        y: { range: (_, low, high) => this.steady(low, high) },
      },
      axes: [
        { ...axis, show: !bare, size: wishes.last ? 26 * large : 0, gap: 2, values: (_, splits) => splits.map((value) => (wishes.last ? moment(value) : "")) },
        { ...axis, show: !bare, size: 54 * large, gap: 4, values: (_, splits) => splits.map(tick) },
      ],
      series: [{}, ...wishes.lines.map((line): uPlot.Series => ({
        stroke: line.colour, width: 1.75, points: { show: false }, spanGaps: false, ...(line.breaks.length ? { dash: [...line.breaks] } : {}),
      }))],
      hooks: {
        setSelect: [(chart) => this.selected(chart)],
        ...(labelled ? { draw: [(chart: uPlot) => this.label(chart)] } : {}),
      },
    };
  }

  private steady(low: number | null, high: number | null): uPlot.Range.MinMax {
    this.values = steadyRange(this.values, low ?? NaN, high ?? NaN, this.wishes.least);
    return [this.values[0], this.values[1]];
  }

  private selected(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width < 8) return;
    const from = chart.posToVal(left, "x"), to = chart.posToVal(left + width, "x");
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.wishes.onRange?.([from, to]);
  }

  /** Each line's name where it ends: greys alone do not say which joint it is. */
  private label(chart: uPlot): void {
    const ratio = uPlot.pxRatio * scale(), { ctx, bbox } = chart;
    const named = this.wishes.lines
      .map((line, index) => ({ line, value: lastKnown(chart.data[index + 1] as ArrayLike<number | null>) }))
      .filter((each): each is { line: PlotLine; value: number } => each.line.label !== "" && each.value !== null);
    const wanted = named.map((each) => chart.valToPos(each.value, "y", true));
    const places = spread(wanted, 13 * ratio, bbox.top + 6 * ratio, bbox.top + bbox.height - 6 * ratio);
    ctx.save();
    ctx.font = font(12 * ratio);
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    named.forEach(({ line }, index) => {
      ctx.fillStyle = line.colour;
      ctx.fillText(line.label, bbox.left + bbox.width + 5 * ratio, places[index]!, 30 * ratio);
    });
    ctx.restore();
  }
}

function lastKnown(values: ArrayLike<number | null>): number | null {
  for (let index = values.length - 1; index >= 0; index -= 1) if (values[index] != null) return values[index]!;
  return null;
}

/** A time at the axis: its unit stands once, at zero. */
function moment(value: number): string {
  return Math.abs(value) < 1e-9 ? "0 s" : tick(value);
}

/** A number at an axis: short, with a real minus sign. */
function tick(value: number): string {
  return String(Number(value.toPrecision(6))).replace("-", "−");
}
