/** A button for what cannot be undone: the first press asks, the second does it. It forgets that it was asked by itself. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../texts";

const FORGETS = 5000; // ms

interface Props {
  readonly onSure: () => void;
  readonly question: string; // what the second press does, in words
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

export function SureButton({ onSure, question, disabled, children }: Props): JSX.Element {
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!asked) return;
    const timer = window.setTimeout(() => setAsked(false), FORGETS);
    return () => window.clearTimeout(timer);
  }, [asked]);
  if (!asked) return <button type="button" class="button" disabled={disabled} onClick={() => setAsked(true)}>{children}</button>;
  return (
    <span class="row sure" role="alertdialog" aria-label={question}>
      <button type="button" class="button bad" data-sure onClick={() => { setAsked(false); onSure(); }}>{question}</button>
      <button type="button" class="button" onClick={() => setAsked(false)}>{t("common.cancel")}</button>
    </span>
  );
}
