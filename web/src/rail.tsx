/** The pages. On a phone they do not all fit: an arrow says where there are more. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { PAGES } from "./pages";
import { t } from "./texts";

/** On which sides of what is seen there is more. */
export function moreOf(box: { readonly scrollLeft: number; readonly scrollWidth: number; readonly clientWidth: number }): { readonly before: boolean; readonly after: boolean } {
  return { before: box.scrollLeft > 4, after: box.scrollLeft + box.clientWidth < box.scrollWidth - 4 };
}

export function Rail({ here, onOpen }: { readonly here: string; readonly onOpen: (name: string) => void }): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const [more, setMore] = useState({ before: false, after: false });
  const look = (): void => {
    if (!place.current) return;
    const now = moreOf(place.current);
    setMore((was) => (was.before === now.before && was.after === now.after ? was : now));
  };
  useEffect(() => {
    look();
    window.addEventListener("resize", look);
    return () => window.removeEventListener("resize", look);
  }, []);
  useEffect(() => {
    place.current?.querySelector(`[data-page="${here}"]`)?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
    look();
  }, [here]);
  return (
    <nav class={`rail ${more.before ? "before" : ""} ${more.after ? "after" : ""}`} aria-label={t("page.all")} ref={place} onScroll={look}>
      {PAGES.map((each) => (
        <button key={each.name} type="button" aria-current={each.name === here ? "page" : undefined} data-page={each.name} onClick={() => onOpen(each.name)}>
          <Icon name={each.name} />
          {t(each.title)}
        </button>
      ))}
    </nav>
  );
}
