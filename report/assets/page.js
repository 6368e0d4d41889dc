"use strict";
document.documentElement.classList.add("js");
const charts = {};
for (const el of document.querySelectorAll("script[type='application/json']")) charts[el.id.slice(5)] = JSON.parse(el.textContent);

const plain = (v, places) => v.toLocaleString("en-US", {maximumFractionDigits: places});
function spell(v, unit) {
  if (unit === "%") return plain(v * 100, 1) + " %";
  if (unit === "±") return (v > 0 ? "+" : "") + plain(v * 100, 1) + " %";
  if (unit === "×") return "× " + plain(v, 3);
  if (unit === "s") return v !== 0 && Math.abs(v) < 1 ? plain(v * 1e3, 3) + " ms" : plain(v, 4) + " s";
  return plain(v, 6);
}
function place(axis, v) {
  const [, min, max, log] = axis;
  return log ? Math.log(v / min) / Math.log(max / min) : (v - min) / (max - min);
}
function value(axis, part) {
  const [, min, max, log] = axis;
  return log ? min * Math.pow(max / min, part) : min + part * (max - min);
}
// The number of points of a series that lie at or before x, of so many numbers each.
function before(at, each, x) {
  let low = 0, high = at.length / each;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (at[mid * each] <= x) low = mid + 1; else high = mid;
  }
  return low;
}
function nearest(s, x) {
  const n = before(s.at, 2, x);
  let best = -1;
  for (const i of [n - 1, n]) {
    if (i < 0 || i >= s.at.length / 2) continue;
    if (best < 0 || Math.abs(s.at[2 * i] - x) < Math.abs(s.at[2 * best] - x)) best = i;
  }
  return best;
}
function readSlots(p, x, near) {
  const slot = p.slot, middle = x - slot / 2;
  let start = Math.floor(x / slot + 1e-9) * slot, distance = Math.max(slot / 2, near);
  for (const s of p.series) {
    if (s.mark === "line" && p.series[0].mark === "bars") continue;
    const i = nearest(s, middle);
    if (i >= 0 && Math.abs(s.at[2 * i] - middle) <= distance) {
      distance = Math.abs(s.at[2 * i] - middle);
      start = s.at[2 * i];
    }
  }
  const byNumber = p.x[0] === "n";
  const lines = [byNumber ? plain(start + slot / 2, 0) + " " + "attempts" : plain(start, 4) + " s to " + plain(start + slot, 4) + " s"];
  for (const s of p.series) {
    const i = nearest(s, start);
    if (s.mark === "line" && p.series[0].mark === "bars") {
      lines.push("least around: " + spell(s.at[2 * i + 1], p.y[0]));
      continue;
    }
    let v = 0;
    if (i >= 0 && (s.mark !== "bars" || Math.abs(s.at[2 * i] - start) < slot / 2)) v = s.at[2 * i + 1];
    lines.push(s.name + ": " + (v === null ? "–" : spell(v, p.y[0])));
  }
  return lines;
}
function readRise(p, x) {
  const lines = ["within " + spell(+x.toPrecision(3), p.x[0])];
  for (const s of p.series) {
    const n = before(s.at, 2, x);
    lines.push(s.name + ": " + (n ? spell(s.at[2 * n - 1], p.y[0]) : "none"));
  }
  return lines;
}
function readDots(p, x, y, near, nearY) {
  let best = null, least = 1;
  for (const s of p.series) for (let i = 0; i < s.at.length; i += 2) {
    const d = ((s.at[i] - x) / near) ** 2 + ((s.at[i + 1] - y) / nearY) ** 2;
    if (d < least) { least = d; best = [spell(s.at[i], p.x[0]), s.notes[i / 2]]; }
  }
  return best;
}
function readSpans(p, x, y, near) {
  let best = null, least = 1;
  for (const s of p.series) for (let i = 0; i < s.at.length; i += 3) {
    const [from, to, row] = s.at.slice(i, i + 3);
    const out = Math.max(from - x, x - to, 0);
    const d = (out / near) ** 2 + (row - y) ** 2;
    if (Math.abs(row - y) < 0.6 && d < least) { least = d; best = [s.notes[i / 3], spell(from, p.x[0]) + " to " + spell(to, p.x[0])]; }
  }
  return best;
}
function readTiles(p, x, y) {
  for (const s of p.series) for (let i = 0; i < s.at.length; i += 3) {
    const [from, to, row] = s.at.slice(i, i + 3);
    if (from <= x && x < to && Math.abs(row - y) <= 0.5) return s.notes[i / 3].split("; ");
  }
  return null;
}
// What a panel shows at a place: lines of text, or null. near and nearY are how far off
// a mark may be.
function read(id, panel, x, y, near, nearY) {
  const p = charts[id][panel];
  switch (p.series[0].mark) {
    case "dots": return readDots(p, x, y, near, nearY);
    case "spans": return readSpans(p, x, y, near);
    case "rise": return readRise(p, x);
    case "tiles": return readTiles(p, x, y);
  }
  return readSlots(p, x, near);
}
window.stampede = {read, charts};

const tip = document.getElementById("tip");
const cursor = document.createElementNS((document.querySelector("svg") || document.documentElement).namespaceURI, "line");
cursor.setAttribute("class", "cursor");
function hide() { tip.style.display = "none"; cursor.remove(); }
function point(event) {
  const svg = event.currentTarget, frame = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
  const scale = view.width / frame.width;
  const x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
  const boxes = svg.dataset.boxes.split(";").map(b => b.split(",").map(Number));
  const n = boxes.findIndex(([bx, by, w, h]) => x >= bx - 2 && x <= bx + w + 2 && y >= by - 4 && y <= by + h + 4);
  if (n < 0) return hide();
  const [bx, by, w, h] = boxes[n], p = charts[svg.dataset.chart][n];
  const part = Math.min(1, Math.max(0, (x - bx) / w));
  const text = read(svg.dataset.chart, n, value(p.x, part), value(p.y, 1 - (y - by) / h), (p.x[2] - p.x[1]) * 8 / w, (p.y[2] - p.y[1]) * 8 / h);
  if (!text) return hide();
  tip.textContent = text.join("\n");
  tip.style.display = "block";
  const left = event.clientX + 14;
  tip.style.left = Math.max(4, left + tip.offsetWidth > innerWidth - 4 ? event.clientX - tip.offsetWidth - 14 : left) + "px";
  tip.style.top = Math.max(4, Math.min(innerHeight - tip.offsetHeight - 4, event.clientY + 14)) + "px";
  for (const [k, v] of [["x1", bx + part * w], ["x2", bx + part * w], ["y1", by], ["y2", by + h]]) cursor.setAttribute(k, v);
  svg.append(cursor);
}
for (const svg of document.querySelectorAll("svg[data-chart]")) {
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointerleave", hide);
}
addEventListener("scroll", hide, {passive: true});

if (innerWidth <= 700) document.getElementById("sections").removeAttribute("open");
const root = document.documentElement, preference = matchMedia("(prefers-color-scheme: dark)"), themes = document.querySelectorAll("#theme button");
function showTheme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : preference.matches;
  for (const b of themes) b.setAttribute("aria-pressed", (b.dataset.theme === "dark") === dark);
}
for (const b of themes) b.addEventListener("click", () => { root.dataset.theme = b.dataset.theme; showTheme(); });
preference.addEventListener("change", showTheme);
showTheme();
for (const b of document.querySelectorAll(".scale")) b.addEventListener("click", () => {
  const log = "log" in b.dataset, section = b.closest("section");
  section.querySelector(".picture").classList.toggle("log", log);
  for (const other of section.querySelectorAll(".scale")) other.setAttribute("aria-pressed", other === b);
});
for (const b of document.querySelectorAll(".copies")) b.addEventListener("click", async () => {
  const text = document.getElementById(b.dataset.of).textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  b.dataset.said ??= b.textContent;
  b.textContent = "copied";
  setTimeout(() => { b.textContent = b.dataset.said; }, 1500);
});
