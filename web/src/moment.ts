/** Moments and amounts, as people read them. */

/** When, on this machine's clock, without the day for today's; written so that it reads alike in every language. */
export function moment(at: string | number, now = new Date()): string {
  const when = new Date(at);
  if (Number.isNaN(when.getTime())) return String(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  const clock = `${two(when.getHours())}:${two(when.getMinutes())}:${two(when.getSeconds())}`;
  if (when.toDateString() === now.toDateString()) return clock;
  return `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())} ${clock}`;
}

/** Bytes, in the unit that needs few digits. */
export function bytes(count: number): string {
  const names = ["B", "kB", "MB", "GB", "TB"];
  let value = count, unit = 0;
  while (value >= 999.5 && unit < names.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${names[unit]}`;
}

/** A time that something took [s], in the unit that needs few digits. */
export function lasted(seconds: number): string {
  if (!Number.isFinite(seconds)) return "—";
  if (seconds >= 0.9995) return `${seconds.toFixed(2)} s`;
  if (seconds >= 0.0009995) return `${(seconds * 1e3).toFixed(2)} ms`;
  return `${(seconds * 1e6).toFixed(1)} µs`;
}

/** Seconds as 52:18, or 1:02:18. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds)), two = (value: number): string => String(value).padStart(2, "0");
  const minutes = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${minutes}` : minutes;
}

/** Where a time stands on a scale of powers of ten from 0.1 µs to 1 s: 0 to 1. */
export function place(seconds: number): number {
  if (!(seconds > 0)) return 0;
  return Math.min(1, Math.max(0, (Math.log10(seconds) + 7) / 7));
}
