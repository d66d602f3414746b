/** What to do, drawn: a tool on a point, tilted to several sides; moved along its z and its x; three points of a plane; a joint on its mark. */

import type { JSX } from "preact";
import type { Kind } from "./calibration";

const LINE = { fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" } as const;

/** @param step Which touch comes next, from 0: it is drawn in orange. */
export function Picture({ of, step }: { readonly of: Kind | "turn"; readonly step: number }): JSX.Element {
  return (
    <svg class="picture" viewBox="0 0 340 104" aria-hidden="true" {...LINE}>
      {of === "tool" ? <Tilts step={step} /> : of === "turn" ? <Turn step={step} /> : of === "frame" ? <Plane step={step} /> : <Marks />}
    </svg>
  );
}

/** Four times the same point, the tool leaning another way each time. */
function Tilts({ step }: { readonly step: number }): JSX.Element {
  return (
    <>
      {[0, -32, 32, -14].map((angle, number) => {
        const x = 46 + 83 * number;
        return (
          <g key={number} class={number === step ? "next" : number < step ? "done" : ""} transform={`translate(${x} 78)`}>
            <path d="M-22 14H22M-8 14 0 0 8 14" />
            <g transform={`rotate(${angle})`}><path d="M0-2V-24M-7-24H7V-52H-7zM-14-52H14" /></g>
          </g>
        );
      })}
    </>
  );
}

/** The tool where it touched last; moved along its +z as it stands; and moved towards its +x. */
function Turn({ step }: { readonly step: number }): JSX.Element {
  const ways = [["+z", "M0 0V34M-5 27 0 34 5 27", 0, 26, 8, 34], ["+x", "M0 0H54M47-5 54 0 47 5", 46, 0, 14, -8]] as const;
  return (
    <>
      {ways.map(([word, arrow, right, down, x, y], number) => (
        <g key={word} class={number === step ? "next" : number < step ? "done" : ""} transform={`translate(${72 + 158 * number} 58)`}>
          <path class="faint" d="M0-2V-16M-6-16H6V-36H-6zM-12-36H12" />
          <g transform={`translate(${right} ${down})`}><path d="M0-2V-16M-6-16H6V-36H-6zM-12-36H12" stroke-dasharray="3 4" /></g>
          <path d={arrow} />
          <circle r="3" />
          <text x={x} y={y} stroke="none" fill="currentColor" font-size="14">{word}</text>
        </g>
      ))}
    </>
  );
}

/** The origin, a point on +x, a point on the side of +y. */
function Plane({ step }: { readonly step: number }): JSX.Element {
  const places = [[76, 78, "0"], [266, 78, "+x"], [150, 26, "+y"]] as const;
  return (
    <>
      <path class="faint" d="M50 92H300L322 12H96z" />
      <path class="faint" d="M76 78H288M280 73 288 78 280 83M76 78 92 22M86 28 92 22 95 30" />
      {places.map(([x, y, word], number) => (
        <g key={word} class={number === step ? "next" : number < step ? "done" : ""}>
          <circle cx={x} cy={y} r="5" />
          <path d={`M${x} ${y - 6}V${y - 16}M${x - 4} ${y - 16}H${x + 4}`} />
          <text x={x + 11} y={y - 6} stroke="none" fill="currentColor" font-size="14">{word}</text>
        </g>
      ))}
    </>
  );
}

/** A joint whose two halves carry a mark each: apart, and in line. */
function Marks(): JSX.Element {
  return (
    <>
      <g transform="translate(96 52)"><circle r="34" class="faint" /><path d="M0-34V-44" /><path class="next" d="M14-31 9-20" /><path d="M-20 0H20" class="faint" transform="rotate(24)" /></g>
      <path d="M154 52H188M180 45 188 52 180 59" class="faint" />
      <g transform="translate(244 52)"><circle r="34" class="faint" /><path d="M0-34V-44" /><path class="next" d="M0-34V-22" /><path d="M-20 0H20" class="faint" /></g>
    </>
  );
}
