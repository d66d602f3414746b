"""A recording as one HTML file that needs nothing else: zoom, pan, read values, choose joints."""

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.interfaces.plots.recording_plot import (
    colours_of,
    is_fault,
    panels_of,
    source_stretches,
    state_colour,
    state_stretches,
)
from armillary.runtime.recording import Recording

__all__ = ["recording_page"]

_MOST = 2_500_000  # numbers in a page: 10 MB, which open at once


def recording_page(recording: Recording, *, title: str = "", note: str = "") -> str:
    """The page's text.

    Every tick is in it where they are few; otherwise the least and the greatest value of so many ticks one after the other.

    Args:
        note: What one should know of it, for example that it was cut off.
    """
    meta, data = _packed(recording)
    meta |= {"title": title, "note": note}
    # A text of the recording can hold anything: nothing of it may end the script that it stands in.
    said = json.dumps(meta, allow_nan=False).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    packed = base64.b64encode(data).decode()
    parts = (_HEAD, said, "</script>\n<script type='application/octet-stream' id='data'>", packed, "</script>\n<script>", _SCRIPT)
    return "".join((*parts, "</script>\n</body></html>\n"))


def _packed(recording: Recording) -> tuple[dict[str, Any], bytes]:
    """What the page says of itself, and its numbers: times (float64), then each series joint by joint (float32)."""
    time, panels, joints = recording.time, panels_of(recording), recording.about.joints
    series = [(i, *pair) for i, panel in enumerate(panels) for pair in (panel.commanded, panel.measured) if pair is not None]
    columns = max(sum(values.shape[1] for _, _, values in series), 1)
    most = max(_MOST // columns, 2000)
    every = 1 if len(time) <= most else -(-len(time) // (most // 2))
    starts = np.arange(0, len(time), every)
    blocks, places, at = [np.append(time[starts], time[-1]).astype("<f8").tobytes()], [], 0
    for panel, name, values in series:
        lows, highs = _bins(values, starts, every)
        blocks.append(lows.tobytes() + (highs.tobytes() if every > 1 else b""))
        places.append({"panel": panel, "name": name, "at": at, "joints": values.shape[1]})
        at += lows.size * (2 if every > 1 else 1)
    late = recording.late[np.isfinite(recording.late)]
    meta = {
        "joints": list(joints), "colours": colours_of(max(len(joints), 1)), "count": len(starts), "every": every,
        "ticks": len(time), "p99": float(np.quantile(late, 0.99)) if len(late) else 0.0,
        "panels": [{"name": panel.name, "unit": panel.unit, "log": panel.logarithmic} for panel in panels], "series": places,
        "states": [[s.begin, s.end, s.name, state_colour(s.name)] for s in state_stretches(recording)],
        "sources": [[s.begin, s.end, s.name] for s in source_stretches(recording)],
        "events": [[e.time, e.kind, e.state, e.text, e.source, is_fault(e.kind, e.state)] for e in recording.events],
    }  # fmt: skip
    return meta, b"".join(blocks)


def _bins(values: NDArray[np.float64], starts: NDArray[np.intp], every: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Least and greatest of each bin, joint by joint: shape (n, bins). Bins without a number have NaN."""
    values = np.where(np.isfinite(values), values, np.nan)
    if every == 1:
        same = np.ascontiguousarray(values.T, dtype="<f4")
        return same, same
    lows, highs = np.fmin.reduceat(values, starts, axis=0), np.fmax.reduceat(values, starts, axis=0)
    return np.ascontiguousarray(lows.T, dtype="<f4"), np.ascontiguousarray(highs.T, dtype="<f4")


_HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>recording</title><meta name="viewport" content="width=device-width">
<style>
html, body { margin: 0; height: 100%; font: 13px/1.4 system-ui, sans-serif; color: #222; background: #fff; }
body { display: grid; grid-template: auto 1fr / 1fr 310px; height: 100vh; }
header { grid-column: 1 / 3; padding: 6px 12px; border-bottom: 1px solid #ccc; }
header b { font-size: 15px; } #note { color: #b00000; margin-left: 1em; } #help { color: #666; float: right; }
#room { position: relative; overflow-y: auto; overflow-x: hidden; }
canvas { display: block; cursor: crosshair; touch-action: none; }
aside { border-left: 1px solid #ccc; overflow-y: auto; padding: 8px 10px; }
h2 { font-size: 13px; margin: 10px 0 4px; } h2 button { float: right; margin-left: 4px; font-size: 11px; }
label { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
i.colour { display: inline-block; width: 16px; height: 4px; margin: 0 6px 3px 4px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { text-align: right; padding: 0 3px; }
td:first-child, th:first-child { text-align: left; max-width: 110px; overflow: hidden; text-overflow: ellipsis; }
#events div { cursor: pointer; padding: 1px 0; } #events div:hover { background: #eef; }
#events .fault { color: #b00000; font-weight: 600; }
</style></head><body>
<header><b id="title"></b><span id="note"></span>
<span id="help">wheel: zoom &middot; drag: pan &middot; double click: all</span></header>
<div id="room"><canvas id="canvas"></canvas></div>
<aside><h2 id="where">move over a panel to read values</h2><table id="values"></table>
<h2>joints <button id="none">none</button><button id="all">all</button></h2><div id="joints"></div>
<h2>lines</h2><label><input type="checkbox" id="asked" checked> commanded, estimated (thin)</label>
<label><input type="checkbox" id="heard" checked> measured (broad, pale)</label>
<h2>events</h2><div id="events"></div></aside>
<script type="application/json" id="meta">"""

_SCRIPT = """
"use strict";
const meta = JSON.parse(document.getElementById("meta").textContent);
const text = atob(document.getElementById("data").textContent);
const bytes = new Uint8Array(text.length);
for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
const N = meta.count, bins = meta.every > 1;
const time = new Float64Array(bytes.buffer, 0, N + 1), numbers = new Float32Array(bytes.buffer, 8 * (N + 1));
const canvas = document.getElementById("canvas"), room = document.getElementById("room");
// Drawn by the processor: 0.1 s for all of ten minutes, where an emulated graphics card takes seconds.
const pen = canvas.getContext("2d", { willReadFrequently: true });
const byId = (id) => document.getElementById(id);
const LEFT = 74, RIGHT = 10, STRIP = 40, FOOT = 26, GAP = 8;
const first = time[0], last = Math.max(time[N], first + 1e-3), shown = meta.joints.map(() => true);
let from = first, to = last, wide = 0, high = 0, mouse = null, drag = null, asked = false;
for (const series of meta.series) {
  const size = series.joints * N;
  series.low = numbers.subarray(series.at, series.at + size);
  series.top = bins ? numbers.subarray(series.at + size, series.at + 2 * size) : series.low;
  series.measured = series.name === "measured";
}
const x = (t) => LEFT + ((t - from) / (to - from)) * (wide - LEFT - RIGHT);
const timeAt = (px) => from + ((px - LEFT) / (wide - LEFT - RIGHT)) * (to - from);
function place(t) { // the last point that is not behind t
  let a = 0, b = N - 1;
  while (a < b) { const m = (a + b + 1) >> 1; if (time[m] <= t) a = m; else b = m - 1; }
  return a;
}
function panelBox(i) {
  const each = (high - STRIP - FOOT) / meta.panels.length;
  return { y: STRIP + i * each + GAP / 2, h: each - GAP };
}
function visible(series, j) {
  return (meta.panels[series.panel].log || shown[j]) && byId(series.measured ? "heard" : "asked").checked;
}
function range(i, a, b) {
  const log = meta.panels[i].log;
  let low = Infinity, top = -Infinity;
  for (const series of meta.series) if (series.panel === i) for (let j = 0; j < series.joints; j++) if (visible(series, j))
    for (let k = j * N + a; k <= j * N + b; k++) {
      if (series.low[k] < low) low = series.low[k];
      if (series.top[k] > top) top = series.top[k];
    }
  if (!(low <= top)) return log ? [1e-6, 1e-3] : [-1, 1];
  if (log) return [low / 1.5, Math.max(top, meta.p99) * 1.5];
  const extra = 0.06 * (top - low) || Math.max(1e-6, 0.05 * Math.abs(top));
  return [low - extra, top + extra];
}
function ticksOf(low, top, count) {
  const raw = (top - low) / count, power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw), found = [];
  for (let k = Math.ceil(low / step); k * step <= top; k++) found.push(k * step);
  return [found, step];
}
const label = (value, step) => {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e5 || step < 1e-5) return value.toExponential(1);
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
};
function draw() {
  asked = false;
  const scale = window.devicePixelRatio || 1;
  wide = room.clientWidth; high = Math.max(room.clientHeight, STRIP + FOOT + 115 * meta.panels.length);
  if (canvas.width !== Math.round(wide * scale) || canvas.height !== Math.round(high * scale)) {
    canvas.width = Math.round(wide * scale); canvas.height = Math.round(high * scale);
    canvas.style.width = wide + "px"; canvas.style.height = high + "px";
  }
  pen.setTransform(scale, 0, 0, scale, 0, 0); pen.clearRect(0, 0, wide, high); pen.font = "11px system-ui, sans-serif";
  pen.lineJoin = "bevel"; // a mitre would show peaks that are not there
  const a = Math.max(0, place(from) - 1), b = Math.min(N - 1, place(to) + 1);
  strip();
  meta.panels.forEach((panel, i) => drawPanel(panel, i, a, b));
  axis(); cursor();
}
function strip() {
  const limit = (px) => Math.min(Math.max(px, LEFT), wide - RIGHT);
  const bar = (begin, end, y, colour, name, tail) => {
    const x0 = limit(x(begin)), x1 = limit(x(end));
    if (x1 <= x0) return;
    pen.fillStyle = colour; pen.fillRect(x0, y, x1 - x0, 15);
    const letters = Math.floor((x1 - x0 - 6) / 6.3);
    if (letters < Math.min(name.length, 4)) return;
    pen.fillStyle = "#222"; pen.textAlign = "center";
    const cut = tail ? "\\u2026" + name.slice(1 - letters) : name.slice(0, letters - 1) + "\\u2026";
    pen.fillText(name.length <= letters ? name : cut, (x0 + x1) / 2, y + 11.5);
  };
  for (const [begin, end, name, colour] of meta.states) bar(begin, end, 4, colour, name, false);
  meta.sources.forEach(([begin, end, name], i) => bar(begin, end, 21, i % 2 ? "#b0bec5" : "#cfd8dc", name, true));
  pen.fillStyle = "#555"; pen.textAlign = "right"; pen.fillText("state", LEFT - 6, 15); pen.fillText("line", LEFT - 6, 32);
}
function drawPanel(panel, i, a, b) {
  const box = panelBox(i), [low, top] = range(i, a, b), log = panel.log;
  const share = log ? (v) => Math.log(v / low) / Math.log(top / low) : (v) => (v - low) / (top - low);
  const y = (v) => box.y + box.h * (1 - share(v));
  pen.save();
  pen.beginPath(); pen.rect(LEFT, box.y, wide - LEFT - RIGHT, box.h); pen.clip();
  pen.globalAlpha = 0.5;
  for (const [begin, end, , colour] of meta.states) if (end >= from && begin <= to) {
    pen.fillStyle = colour; pen.fillRect(x(begin), box.y, x(end) - x(begin), box.h);
  }
  pen.globalAlpha = 1; pen.strokeStyle = "rgba(0,0,0,0.12)"; pen.lineWidth = 1; pen.beginPath();
  let [marks, step] = log ? [[], 1] : ticksOf(low, top, Math.max(2, box.h / 34));
  if (log) for (let p = Math.ceil(Math.log10(low)); p <= Math.log10(top); p++) marks.push(Math.pow(10, p));
  for (const mark of marks) { pen.moveTo(LEFT, y(mark)); pen.lineTo(wide, y(mark)); }
  pen.stroke();
  for (const broad of [true, false]) for (const series of meta.series) if (series.panel === i && series.measured === broad)
    for (let j = 0; j < series.joints; j++) if (visible(series, j)) {
      pen.strokeStyle = log ? "#444" : meta.colours[j]; pen.globalAlpha = broad ? 0.35 : 1; pen.lineWidth = broad ? 3.5 : 1.2;
      line(series, j, a, b, y);
    }
  pen.globalAlpha = 1;
  if (log && meta.p99 > 0) {
    pen.strokeStyle = "#c05000"; pen.setLineDash([6, 4]);
    pen.beginPath(); pen.moveTo(LEFT, y(meta.p99)); pen.lineTo(wide, y(meta.p99)); pen.stroke(); pen.setLineDash([]);
  }
  for (const [t, , , , , fault] of meta.events) if (t >= from && t <= to) {
    pen.strokeStyle = fault ? "#c00000" : "rgba(80,90,100,0.5)"; pen.lineWidth = fault ? 2 : 1;
    pen.beginPath(); pen.moveTo(x(t), box.y); pen.lineTo(x(t), box.y + box.h); pen.stroke();
  }
  if (i === 0) faults(box);
  pen.restore();
  pen.strokeStyle = "#999"; pen.lineWidth = 1; pen.strokeRect(LEFT, box.y, wide - LEFT - RIGHT, box.h);
  pen.fillStyle = "#444"; pen.textAlign = "right";
  for (const mark of marks) pen.fillText(log ? mark.toExponential(0) : label(mark, step), LEFT - 5, y(mark) + 4);
  pen.textAlign = "left"; pen.fillStyle = "rgba(255,255,255,0.75)";
  const p99 = log && meta.p99 > 0 ? ", 99 % below " + say(meta.p99) + " s (dashed)" : "";
  const words = panel.name + " [" + panel.unit + "]" + p99;
  pen.fillRect(LEFT + 3, box.y + 3, pen.measureText(words).width + 6, 15);
  pen.fillStyle = "#222"; pen.fillText(words, LEFT + 6, box.y + 14);
}
function faults(box) {
  pen.font = "bold 12px system-ui, sans-serif";
  for (const [t, kind, , words, , fault] of meta.events) if (fault && t >= from && t <= to) {
    const said = " " + (words || kind) + " ", w = pen.measureText(said).width, px = x(t) > wide / 2 ? x(t) - w : x(t);
    pen.fillStyle = "rgba(255,255,255,0.85)"; pen.fillRect(px, box.y + box.h - 20, w, 17);
    pen.fillStyle = "#c00000"; pen.textAlign = "left"; pen.fillText(said, px, box.y + box.h - 7);
  }
  pen.font = "11px system-ui, sans-serif";
}
function line(series, j, a, b, y) {
  if (b - a > 0.7 * (wide - LEFT)) { columns(series, j, a, b, y); return; }
  const low = series.low, top = series.top, base = j * N;
  let down = false;
  pen.beginPath();
  for (let k = a; k <= b; k++) {
    const l = low[base + k], h = top[base + k];
    if (!(l <= h)) { down = false; continue; }
    if (down) pen.lineTo(x(time[k]), y(l)); else pen.moveTo(x(time[k]), y(l));
    if (h !== l) pen.lineTo(x(time[k]), y(h));
    down = true;
  }
  pen.stroke();
}
function columns(series, j, a, b, y) { // least and greatest of each column of pixels, as bars: no peak is lost, and it is fast
  const low = series.low, top = series.top, base = j * N, extra = series.measured ? 1 : 0;
  const scale = (wide - LEFT - RIGHT) / (to - from);
  let column = -1, l = Infinity, h = -Infinity, before = null;
  pen.fillStyle = pen.strokeStyle;
  const put = () => {
    if (!(l <= h)) { before = null; return; }
    const above = Math.round(y(h)), below = Math.round(y(l)) + 1;
    let up = above, end = below; // a bar reaches the one before it
    if (before && before.column === column - 1) {
      up = Math.min(above, before.below - 1); end = Math.max(below, before.above + 1);
    }
    else if (before) {
      pen.beginPath(); pen.moveTo(before.column + 0.5, before.above + 0.5); pen.lineTo(column + 0.5, above + 0.5); pen.stroke();
    }
    pen.fillRect(column, up - extra, 1, end - up + 2 * extra);
    before = { column, above, below };
  };
  for (let k = a; k <= b; k++) {
    const c = Math.floor(LEFT + (time[k] - from) * scale), one = low[base + k], other = top[base + k];
    if (c !== column) { if (column >= 0) put(); column = c; l = Infinity; h = -Infinity; }
    if (one < l) l = one;
    if (other > h) h = other;
  }
  put();
}
function axis() {
  pen.fillStyle = "#444"; pen.textAlign = "center";
  const [marks, step] = ticksOf(from, to, Math.max(3, wide / 110));
  for (const mark of marks) pen.fillText(label(mark, step), x(mark), high - 12);
  pen.textAlign = "right"; pen.fillText("s", wide - 2, high - 1);
}
function say(value) {
  if (!Number.isFinite(value)) return "\\u2013";
  if (value === 0) return "0";
  return Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5 ? value.toExponential(2) : value.toPrecision(5);
}
function cursor() {
  if (!mouse || drag || mouse.x < LEFT || mouse.x > wide - RIGHT) return;
  const t = timeAt(mouse.x), within = (box) => mouse.y >= box.y && mouse.y < box.y + box.h;
  const panel = meta.panels.findIndex((_, i) => within(panelBox(i)));
  pen.strokeStyle = "#000"; pen.lineWidth = 0.7;
  pen.beginPath(); pen.moveTo(mouse.x, STRIP); pen.lineTo(mouse.x, high - FOOT); pen.stroke();
  const at = (rows) => { const hit = rows.filter(([begin, end]) => begin <= t && t <= end).pop(); return hit ? hit[2] : ""; };
  read(t, panel, at(meta.states), at(meta.sources));
}
function read(t, panel, state, source) {
  byId("where").textContent = t.toFixed(4) + " s  " + state + (source ? "  " + source : "");
  const table = byId("values");
  table.replaceChildren();
  if (panel < 0 || t < first || t > last) return;
  let k = place(t);
  if (!bins && k + 1 < N && time[k + 1] - t < t - time[k]) k++;
  const series = meta.series.filter((one) => one.panel === panel), row = (cells, kind) => {
    const tr = table.insertRow();
    for (const cell of cells) { const td = document.createElement(kind); td.textContent = cell; tr.append(td); }
  };
  row([meta.panels[panel].name, ...series.map((one) => one.name)], "th");
  for (let j = 0; j < series[0].joints; j++) if (meta.panels[panel].log || shown[j])
    row([meta.panels[panel].log ? "" : meta.joints[j], ...series.map((one) => {
      const l = one.low[j * N + k], h = one.top[j * N + k];
      return l === h || !bins ? say(l) : say(l) + " \\u2026 " + say(h);
    })], "td");
}
const redraw = () => { if (!asked) { asked = true; requestAnimationFrame(draw); } };
function look(a, b) {
  const least = Math.max(1e-4, (last - first) * 1e-7), most = (last - first) * 1.02;
  let width = Math.min(Math.max(b - a, least), most);
  const middle = (a + b) / 2, slack = 0.01 * (last - first);
  from = Math.max(first - slack, Math.min(middle - width / 2, last + slack - width)); to = from + width;
  redraw();
}
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const d = (event.deltaX / wide) * (to - from);
    look(from + d, to + d);
    return;
  }
  const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.002))), t = timeAt(event.offsetX);
  look(t - (t - from) * factor, t + (to - t) * factor);
}, { passive: false });
canvas.addEventListener("pointerdown", (event) => {
  drag = { x: event.offsetX, from, to };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  mouse = { x: event.offsetX, y: event.offsetY };
  if (!drag) { redraw(); return; }
  const d = ((drag.x - event.offsetX) / (wide - LEFT - RIGHT)) * (drag.to - drag.from);
  look(drag.from + d, drag.to + d);
});
for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { drag = null; redraw(); });
canvas.addEventListener("pointerleave", () => { mouse = null; redraw(); });
canvas.addEventListener("dblclick", () => look(first, last));
window.addEventListener("resize", redraw);
byId("title").textContent = document.title = meta.title; byId("note").textContent = meta.note;
meta.joints.forEach((joint, j) => {
  const row = document.createElement("label"), box = document.createElement("input"), mark = document.createElement("i");
  box.type = "checkbox"; box.checked = true; box.addEventListener("change", () => { shown[j] = box.checked; redraw(); });
  mark.className = "colour"; mark.style.background = meta.colours[j];
  row.append(box, mark, joint); byId("joints").append(row);
});
for (const [id, value] of [["all", true], ["none", false]]) byId(id).addEventListener("click", () => {
  shown.fill(value); byId("joints").querySelectorAll("input").forEach((box) => { box.checked = value; }); redraw();
});
for (const id of ["asked", "heard"]) byId(id).addEventListener("change", redraw);
for (const [t, kind, state, words, source, fault] of meta.events) {
  const row = document.createElement("div");
  const what = kind.toLowerCase().replaceAll("_", " ") + (state ? " \\u2192 " + state : "");
  row.textContent = t.toFixed(3) + " s  " + what + (words ? ": " + words : "") + (source ? "  (" + source + ")" : "");
  if (fault) row.className = "fault";
  row.addEventListener("click", () => { const w = Math.min(to - from, 2); look(t - w / 2, t + w / 2); });
  byId("events").append(row);
}
if (bins) byId("help").prepend("each point: least and greatest of " + meta.every + " ticks (plot --from --to has all) \\u00b7 ");
look(first, last);
"""
