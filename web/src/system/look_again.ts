/** Something of the cell's that is asked for when it is seen, and again and again where it changes. */

import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { inWords } from "../refused";

export interface Looked<T> {
  readonly value: T | null;
  readonly problem: string; // why there is none, in words; "" for nothing
  readonly again: () => void;
}

/** What a path answers. Asked again every so many seconds while the page is seen; only once for 0. */
export function useLooked<T>(path: string, every = 0): Looked<T> {
  const [state, setState] = useState<{ value: T | null; problem: string }>({ value: null, problem: "" });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let wanted = true, timer = 0;
    const look = async (): Promise<void> => {
      if (document.visibilityState === "visible")
        try {
          const value = await get<T>(path);
          if (wanted) setState({ value, problem: "" });
        } catch (error) {
          const problem = inWords(error);
          if (wanted) setState((before) => ({ ...before, problem }));
        }
      if (wanted && every > 0) timer = window.setTimeout(() => void look(), every * 1000);
    };
    void look();
    return () => {
      wanted = false;
      window.clearTimeout(timer);
    };
  }, [path, every, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}
