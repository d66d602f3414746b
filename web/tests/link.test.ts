import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { connect, disconnect, inControl, leftBecause, motion, onLetGo, status, toast, who, type Who } from "../src/cell";
import { linkAge, linked } from "../src/link";

const ADA: Who = { user: "Ada", role: "operator", session: "1", local: false, locked: false, passwords: true, has_password: true };
let sockets: Fake[], session: () => Promise<Response>;

class Fake {
  static OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  sent: string[] = [];
  onopen: () => void = () => undefined;
  onmessage: (event: { data: string }) => void = () => undefined;
  onclose: (event: { code: number }) => void = () => undefined;
  constructor() {
    sockets.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.readyState = 3;
  }
}

const soon = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

beforeEach(async () => {
  vi.useFakeTimers();
  [sockets, session, toast.value, leftBecause.value] = [[], () => Promise.resolve(new Response(JSON.stringify(ADA))), null, null];
  vi.stubGlobal("WebSocket", Fake);
  vi.stubGlobal("fetch", (path: string) => (path.endsWith("/session") ? session() : Promise.resolve(new Response(path.endsWith("/alarms") ? "[]" : "{}"))));
  who.value = ADA;
  await connect();
});
afterEach(() => {
  disconnect();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("a link that a cell without our session refuses leads to the log-in, with words why, and is not tried for ever", async () => {
  session = () => Promise.resolve(new Response(JSON.stringify({ ...ADA, user: "", role: "", session: "" })));
  sockets[0]!.onclose({ code: 1006 }); // what a browser makes of 403
  await soon();
  expect([who.value?.role, leftBecause.value]).toEqual(["", "login.ended"]);
  vi.advanceTimersByTime(5000);
  expect(sockets).toHaveLength(1);
});

it("so does one that ends since we were logged out elsewhere", async () => {
  sockets[0]!.onopen();
  session = () => Promise.resolve(new Response(JSON.stringify({ ...ADA, role: "" })));
  sockets[0]!.onclose({ code: 4401 });
  await soon();
  expect(leftBecause.value).toBe("login.ended");
});

it("a cell that does not answer is tried again, and nobody is sent away", async () => {
  session = () => Promise.reject(new Error("gone"));
  sockets[0]!.onclose({ code: 1006 });
  await soon();
  expect([who.value?.role, leftBecause.value]).toEqual(["operator", null]);
  vi.advanceTimersByTime(700);
  expect(sockets).toHaveLength(2);
});

it("without a link nobody here is in control, whatever was told before", () => {
  sockets[0]!.onopen();
  status.value = { control: { session: "1", name: "Ada", link: true, asked_by: "" } } as NonNullable<typeof status.value>;
  expect(inControl.value).toBe(true);
  sockets[0]!.onclose({ code: 1006 });
  expect([linked.value, inControl.value]).toEqual([false, false]);
  disconnect();
  expect([status.value, motion.value]).toEqual([null, null]);
});

it("a jog that was cut is let go of: it needs a new press", () => {
  const released = vi.fn(), off = onLetGo(released);
  sockets[0]!.onopen();
  sockets[0]!.onmessage({ data: JSON.stringify(["notice", "cut", "english words"]) });
  expect(released).toHaveBeenCalledOnce();
  expect(toast.value).toMatchObject({ kind: "refused", text: "The jog was cut: the link was late. Press again." });
  off();
});

it("a link that is too slow for holding is said to be, and what is held goes on", () => {
  const released = vi.fn(), off = onLetGo(released);
  sockets[0]!.onopen();
  sockets[0]!.onmessage({ data: JSON.stringify(["notice", "slow", "english words"]) });
  expect(released).not.toHaveBeenCalled();
  expect(toast.value?.text).toContain("too slow for holding");
  off();
});

it("the age of what is shown grows while nothing is heard, whatever the last round trip took", () => {
  sockets[0]!.onopen();
  vi.advanceTimersByTime(400); // a ping
  const number = (JSON.parse(sockets[0]!.sent.at(-1)!) as [string, number])[1];
  vi.advanceTimersByTime(4);
  sockets[0]!.onmessage({ data: JSON.stringify(["pong", number]) });
  expect(linkAge()).toBeCloseTo(4, 0);
  vi.advanceTimersByTime(900);
  expect(linked.value).toBe(true);
  expect(linkAge()).toBeCloseTo(900, 0);
  sockets[0]!.onmessage({ data: JSON.stringify(["notice", "info", "a word"]) });
  expect(linkAge()).toBeCloseTo(4, 0);
});
