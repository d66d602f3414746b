import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { end, pose } from "../../src/frames/calibration";
import { Found } from "../../src/frames/found";

it("how much the orientations differ is said in percent of the most possible", () => {
  const place = document.body.appendChild(document.createElement("div"));
  pose.value = { xyz: [0, 0, 0], rpy: [0, 0, 0], residuals: [0], rms: 0, outliers: [], spread: 0.298, uncertainty: [] };
  void act(() => render(<Found />, place));
  expect(place.querySelector("[data-spread]")?.textContent).toBe("30 %");
  expect(place.querySelector(".spread")?.textContent).toContain("of the most possible");
  void act(() => render(null, place));
  end();
});
