/** The torque of one joint in the last seconds, small, over the robot: measured, estimated, and how far they are apart. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { robot } from "../cell";
import { theme } from "../menu";
import "../pages/plots.css";
import { lineBreaks, paletteNow } from "../plots/colours";
import { History } from "../plots/history";
import { live } from "../plots/live";
import { Plot } from "../plots/plot";
import { unitOf } from "../plots/quantities";
import { jointLabel } from "../joint_names";
import { percent, residualShare } from "../plots/residual";
import { emptyPicture, thin } from "../plots/thin";
import { t } from "../texts";

const SECONDS = 15;
const EVERY = 50; // ms between pictures: it is looked at from the corner of the eye

export function TorqueStrip({ joint }: { readonly joint: number }): JSX.Element {
  const box = useRef<HTMLDivElement>(null), rest = useRef<HTMLElement>(null);
  const palette = useMemo(paletteNow, [theme.value]);
  const about = robot.value?.joints[joint], unit = unitOf("torque", about?.unit ?? "rad");
  useEffect(() => {
    const place = box.current!;
    const plot = new Plot(place, {
      lines: [
        { label: "", colour: palette.text, breaks: lineBreaks("main", 0) },
        { label: "", colour: palette.estimated, breaks: lineBreaks("estimated", 0) },
      ],
      palette, least: unit.least, bare: true, last: true,
    });
    const picture = emptyPicture(2), watch = new ResizeObserver(() => plot.resize(place.clientWidth, place.clientHeight));
    watch.observe(place);
    let seen = -1;
    const timer = window.setInterval(() => {
      const history = live();
      if (!history || history.ring.end === seen || joint >= history.joints) return;
      seen = history.ring.end;
      const { ring, newest } = history, from = ring.find(History.time, newest - SECONDS);
      const measured = history.column("measured_torque", joint), estimated = history.column("torque", joint);
      thin(ring, [{ column: measured, factor: 1 }, { column: estimated, factor: 1 }], from, ring.end, 2 * place.clientWidth, newest, picture);
      plot.draw(picture, [-SECONDS, 0]);
      if (rest.current) rest.current.textContent = percent(residualShare(ring, measured, estimated, from, ring.end, unit.least));
    }, EVERY);
    return () => {
      window.clearInterval(timer);
      watch.disconnect();
      plot.destroy();
    };
  }, [joint, palette, unit.least]);
  return (
    <figure class="torque-strip" data-torque-strip>
      <figcaption>
        <span class="quiet">{t("plots.torque")} {jointLabel(about?.name ?? "")} [{unit.name}]</span>
        <span class="trace">{t("plots.measured")}</span>
        <span class="trace estimated">{t("plots.estimated")}</span>
        <span class="rest quiet">{t("plots.residual")} <span ref={rest}>—</span></span>
      </figcaption>
      <div class="drawing" ref={box} />
    </figure>
  );
}
