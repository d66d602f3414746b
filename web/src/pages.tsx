/** The pages of the rail: each has its panel on the right; the robot stays in the middle. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { FollowPage } from "./pages/follow";
import { FramesPage } from "./pages/frames";
import { ImitatePage } from "./pages/imitate";
import { IoPage } from "./pages/io";
import { MovePage } from "./pages/move";
import { PlotsPage } from "./pages/plots";
import { ProgramPage } from "./pages/program";
import { SystemPage } from "./pages/system";
import { TeachPage } from "./pages/teach";
import { UsersPage } from "./pages/users";
import type { Key } from "./texts";

export interface Page {
  readonly name: string;
  readonly title: Key;
  readonly wide: boolean; // its panel takes half the screen
  readonly panel: () => JSX.Element;
}

export const PAGES: readonly Page[] = [
  { name: "move", title: "page.move", wide: false, panel: MovePage },
  { name: "program", title: "page.program", wide: true, panel: ProgramPage },
  { name: "teach", title: "page.teach", wide: false, panel: TeachPage },
  { name: "plots", title: "page.plots", wide: true, panel: PlotsPage },
  { name: "io", title: "page.io", wide: false, panel: IoPage },
  { name: "frames", title: "page.frames", wide: false, panel: FramesPage },
  { name: "follow", title: "page.follow", wide: false, panel: FollowPage },
  { name: "imitate", title: "page.imitate", wide: false, panel: ImitatePage },
  { name: "users", title: "page.users", wide: false, panel: UsersPage },
  { name: "system", title: "page.system", wide: true, panel: SystemPage },
];

const asked = new URLSearchParams(location.search).get("page") ?? localStorage.getItem("page");
export const page = signal(PAGES.some((each) => each.name === asked) ? (asked as string) : "move");

/** The page that is shown next, for as long as it takes to draw it. */
export const opening = signal("");

/** Open a page: the rail shows it with the next frame, its panel is drawn behind that. */
export function open(name: string): void {
  localStorage.setItem("page", name);
  if (name === page.value) {
    opening.value = "";
    return;
  }
  opening.value = name;
  requestAnimationFrame(() => setTimeout(() => {
    if (opening.value !== name) return; // another one was opened since
    page.value = name;
    opening.value = "";
  }));
}
