import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, it, vi } from "vitest";
import { letGo } from "../../src/cell";
import { useLetGo } from "../../src/parts/let_go";

function Held({ release, disabled }: { release: () => void; disabled: boolean }): null {
  useLetGo(release, disabled);
  return null;
}

it("what is held is let go when the page must, when it is disabled, and when it is gone", () => {
  const release = vi.fn(), place = document.createElement("div");
  const show = (disabled: boolean): void => void act(() => render(<Held release={release} disabled={disabled} />, place));
  show(false);
  expect(release).not.toHaveBeenCalled();
  letGo();
  expect(release).toHaveBeenCalledTimes(1);
  show(true);
  expect(release).toHaveBeenCalledTimes(2);
  void act(() => render(null, place));
  expect(release).toHaveBeenCalledTimes(3);
  letGo();
  expect(release).toHaveBeenCalledTimes(3);
});
