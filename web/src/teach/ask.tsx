/** A question that is asked once, in its place: what would be lost is said before it is. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../texts";

interface Props {
  readonly yes: string;
  readonly bad?: boolean; // something is lost
  readonly disabled?: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
  readonly children: ComponentChildren;
}

export function Ask({ yes, bad, disabled, onYes, onNo, children }: Props): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), []); // what is asked is seen
  return (
    <div ref={place} class={`ask ${bad ? "loses" : ""}`} role="alertdialog" aria-label={yes}>
      <div>{children}</div>
      <div class="row fill">
        <button type="button" class="button" onClick={onNo}>{t("common.cancel")}</button>
        <button type="button" class={`button ${bad ? "bad" : "do"}`} data-yes disabled={disabled} onClick={onYes}>{yes}</button>
      </div>
    </div>
  );
}
