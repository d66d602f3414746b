/** A part of a page that needs an answer of the cell: why there is none, where there is none. */

import type { JSX } from "preact";
import { t } from "../texts";
import type { Looked } from "./look_again";

interface Props<T> {
  readonly of: Looked<T>;
  readonly children: (value: T) => JSX.Element;
}

export function LookedPart<T>({ of, children }: Props<T>): JSX.Element {
  return (
    <>
      {of.problem && (
        <div class="card" role="alert">
          <span class="badly">{of.problem}</span>
          <button type="button" class="button" onClick={of.again}>{t("system.again")}</button>
        </div>
      )}
      {of.value !== null ? children(of.value) : !of.problem && <p class="quiet">…</p>}
    </>
  );
}
