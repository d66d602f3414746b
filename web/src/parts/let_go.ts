/** What lets go of something that is held, whoever holds it. */

import { useEffect } from "preact/hooks";
import { onLetGo } from "../cell";

/**
 * Let go when the page must, when it may no longer be held, and when it is gone from the page.
 *
 * @param release That of the first rendering is called: it reads what changes from refs. Harmless where nothing is held.
 */
export function useLetGo(release: () => void, disabled = false): void {
  useEffect(() => {
    const off = onLetGo(release);
    return () => {
      off();
      release();
    };
  }, []);
  useEffect(() => {
    if (disabled) release();
  }, [disabled]);
}
