/** All points; the one that is touched opens, and its ghost is seen. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../texts";
import { moment } from "../moment";
import { poseLine } from "./figures";
import { PointDetail } from "./point_detail";
import { points, readPoints, type TaughtPoint, useReading } from "./taught";
import { TeachHere } from "./teach_here";

/** The point that is open; it stays so while other pages are looked at. */
const chosen = signal("");

export function PointList(): JSX.Element {
  useReading(readPoints);
  const all = points.value;
  return (
    <>
      <TeachHere onTaught={(name) => (chosen.value = name)} />
      <h2 class="head-row">{t("teach.points")} <span class="count">{all?.length ?? ""}</span><span class="units">X Y Z mm · A B C °</span></h2>
      {all?.length === 0 && <p class="quiet">{t("teach.noPoints")}</p>}
      <div class="list points">
        {all?.map((point) => <Item key={point.name} point={point} open={chosen.value === point.name} />)}
      </div>
    </>
  );
}

function Item({ point, open }: { readonly point: TaughtPoint; readonly open: boolean }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) place.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  return (
    <div ref={place} class={`point ${open ? "open" : ""}`} data-point={point.name}>
      <button type="button" class="head" aria-expanded={open} onClick={() => (chosen.value = open ? "" : point.name)}>
        <span class="row"><b>{point.name}</b><span class="quiet when">{moment(point.at)} {t("teach.by")} {point.by}</span></span>
        {!open && <span class="quiet note">{poseLine(point)}</span>}
      </button>
      {open && <PointDetail point={point} onName={(name) => (chosen.value = name)} />}
    </div>
  );
}
