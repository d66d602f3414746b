import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** What comes from the cell in its own words, and where it is shown. */
const SHOWN: readonly (readonly [file: string, value: string])[] = [
  ["pages/move.tsx", "now.held_by"], ["pages/follow.tsx", "now.lost"], ["pages/follow.tsx", "now.held_by"], ["teach/go_to.tsx", "note"],
  ["imitate/now.tsx", "now.lost"], ["imitate/now.tsx", "now.held_by"], ["imitate/now.tsx", "now.said"], ["imitate/now.tsx", "now.learnt"],
  ["system/log.tsx", "each.text"], ["system/audit_trail.tsx", "entry.what"], ["system/audit_trail.tsx", "entry.who"],
  ["system/overview.tsx", "each.said"], ["system/overview.tsx", "text"], ["system/overview.tsx", "trouble"], ["system/workspace_limits.tsx", "note"],
  ["system/alarm_list.tsx", "alarm.text"], ["system/alarm_list.tsx", "alarm.remedy"], ["bottom.tsx", "now.trouble"],
];

it.each(SHOWN)("%s: %s is said in the page's language", (file, value) => {
  const source = readFileSync(`src/${file}`, "utf8");
  expect(source).toContain(`spoken(${value})`);
  expect(source).not.toMatch(new RegExp(`>\\{${value.replaceAll(".", "\\.")}\\}<`));
});

it("what is said of the way to a ghost goes the same way, and so do the postures of the arm", () => {
  const page = readFileSync("src/pages/move.tsx", "utf8");
  expect(page.match(/here\.said\.map\(spoken\)/g)).toHaveLength(2);
  expect(page).not.toContain("here.said.join");
  expect(readFileSync("src/move/ways_row.tsx", "utf8")).toContain("branchWords(solution.branch)");
});
