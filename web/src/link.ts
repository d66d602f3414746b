/** The WebSocket to the cell: state in, jogs and stops out. It comes back by itself, and sends nothing again that was sent before. */

import { signal } from "@preact/signals";
import { decode, encode, type FromBrowser, type ToBrowser } from "./messages";

const PING = 400; // ms between signs that the link lives
const AGAIN = 600; // ms until the next try
const LOGGED_OUT = 4401; // the cell's word for it
const LOST = 1500; // ms without a word after which the link counts as lost

/** How long the last round trip took [ms]; null while there is no link. */
export const roundTrip = signal<number | null>(null);
export const linked = signal(false);

let heardAt = 0; // when something last came from the cell [ms, performance.now()]

/** How old what is shown may be [ms]: as long as nothing was heard, and the way of what was heard last; null while that is not known. */
export const linkAge = (now = performance.now()): number | null => (roundTrip.value === null ? null : Math.max(roundTrip.value, now - heardAt));

type Listener = (message: ToBrowser) => void;

export class Link {
  private socket: WebSocket | null = null;
  private pings = new Map<number, number>();
  private number = 0;
  private timer = 0;
  private wanted = false;

  constructor(
    private readonly url: string,
    private readonly listener: Listener,
    private readonly lost: () => void,
    /** Called when the cell would not have the link, or ended it: who sits here may be logged out. */
    private readonly refused: () => void = () => undefined,
  ) {}

  open(): void {
    this.wanted = true;
    this.connect();
    this.timer = window.setInterval(() => this.beat(), PING);
  }

  close(): void {
    this.wanted = false;
    window.clearInterval(this.timer);
    this.socket?.close();
  }

  /** Send, if there is a link; nothing is kept for later. */
  send(message: FromBrowser): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    // A link that does not drain is as good as lost: what is piled up would be acted on too late.
    if (this.socket.bufferedAmount > 20_000) return false;
    this.socket.send(encode(message));
    return true;
  }

  private connect(): void {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      heardAt = performance.now();
      this.pings.clear();
      linked.value = true;
      this.send({ key: "focus", seen: document.visibilityState === "visible" });
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      heardAt = performance.now();
      const message = decode(event.data);
      if (message?.key === "pong") this.answered(message.number);
      else if (message) this.listener(message);
    };
    socket.onclose = (event: CloseEvent) => {
      if (this.socket !== socket) return;
      this.drop();
      // A browser does not tell a refusal from a cell that is not there: who asks for the session learns which.
      if (this.wanted && (!opened || event.code === LOGGED_OUT)) this.refused();
      if (this.wanted) window.setTimeout(() => this.wanted && this.connect(), AGAIN);
    };
  }

  private answered(number: number): void {
    const sent = this.pings.get(number);
    this.pings.delete(number);
    if (sent !== undefined) roundTrip.value = performance.now() - sent;
  }

  private beat(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (performance.now() - heardAt > LOST) {
      this.drop();
      this.socket.close();
      return;
    }
    this.number += 1;
    this.pings.set(this.number, performance.now());
    this.send({ key: "ping", number: this.number });
  }

  private drop(): void {
    if (!linked.value && roundTrip.value === null) return;
    linked.value = false;
    roundTrip.value = null;
    this.lost();
  }
}
