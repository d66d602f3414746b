/** Icons, drawn in one line weight. */

import type { JSX } from "preact";

const PATHS: Record<string, string> = {
  move: "M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3",
  program: "M6 3h12v18H6zM9 8h6M9 12h6M9 16h4",
  teach: "M12 21c-4-5-6-8-6-11a6 6 0 0 1 12 0c0 3-2 6-6 11zM12 12.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z",
  plots: "M4 4v16h16M7 15l4-5 3 3 5-7",
  io: "M4 8h10M18 8h2M14 5v6M4 16h2M10 16h10M10 13v6",
  frames: "M5 4v15h15M5 19l6-6M5 4l-2 2M5 4l2 2M20 19l-2-2M20 19l-2 2",
  follow: "M7 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM7 8v8M3 12h8M7 16l-3 6M7 16l3 6M14 12h7M18 9l3 3-3 3",
  imitate: "M6 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM1.5 5.5 6 10l4.5-4.5M6 10v5M3 21l3-6 3 6M15 3h6v4h-6zM18 7v3M13.5 5.5 18 10l4.5-4.5M18 10v5M15 21v-6h6v6",
  system: "M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM12 2v4M12 18v4M2 12h4M18 12h4M5 5l2.8 2.8M16.2 16.2 19 19M19 5l-2.8 2.8M7.8 16.2 5 19",
  alarms: "M12 3 2.5 20h19zM12 10v4M12 17v.5",
  power: "M12 3v9M6.6 6.6a8 8 0 1 0 10.8 0",
  users: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21c0-4 3-7 7-7s7 3 7 7M17 11a3 3 0 1 0 0-6M18 14c2.5.6 4 3 4 6",
};

export function Icon({ name }: { name: string }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={PATHS[name] ?? ""} />
    </svg>
  );
}
