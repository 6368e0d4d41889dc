"use strict";
document.documentElement.classList.add("js");
const palette = JSON.parse(document.getElementById("palette").textContent);
const plain = (v, places) => v.toLocaleString("en-US", {maximumFractionDigits: places});
const units = {
  "0": v => plain(v, 6),
  "1": v => v !== 0 && Math.abs(v) < 1 ? plain(v * 1e3, 3) + " ms" : plain(v, 4) + " s",
  "2": v => plain(v * 100, 1) + " %",
  "3": v => (v > 0 ? "+" : "") + plain(v * 100, 1) + " %",
  "4": v => "× " + plain(v, 3),
};
function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
const colour = role => palette[role][isDark() ? 1 : 0];
const roleOf = s => s.id.slice(0, s.id.lastIndexOf("-"));

function dress(option, el) {
  const rows = el.dataset.rows ? JSON.parse(el.dataset.rows) : null;
  const x = units[el.dataset.x], y = rows ? v => rows[v] || "" : units[el.dataset.y], slot = Number(el.dataset.slot);
  const ink = colour("text"), muted = colour("muted"), grid = colour("grid");
  option.textStyle = {fontFamily: getComputedStyle(document.body).fontFamily};
  option.backgroundColor = "transparent";
  option.grid = {left: 8, right: 24, top: 40, bottom: 72, containLabel: true};
  option.series = option.series || [];
  const bars = option.series.some(s => s.type === "bar");
  Object.assign(option.legend, {textStyle: {color: ink}, data: option.series.filter(s => roleOf(s) !== "least").map(s => s.name)});
  if (bars) {
    option.legend.selectedMode = false;
    option.legend.data.reverse();
  }
  Object.assign(option.dataZoom[1], {showDataShadow: false, height: 18, bottom: 8, borderColor: grid, fillerColor: "rgba(127,140,160,.25)", showDetail: false});
  const [ax, ay] = [option.xAxis[0], option.yAxis[0]];
  ax.axisLabel = {color: muted, formatter: x, hideOverlap: true, showMinLabel: ax.min === 0, showMaxLabel: false};
  ay.axisLabel = {color: muted, formatter: y, showMinLabel: Number.isInteger(ay.min), showMaxLabel: Number.isInteger(ay.max)};
  if (el.dataset.y === "0") ay.minInterval = 1;
  ax.axisLine = {lineStyle: {color: muted}};
  ax.splitLine = {show: false};
  ay.splitLine = {lineStyle: {color: grid}};
  ax.nameTextStyle = {color: muted};
  ay.nameTextStyle = {color: muted, align: "left"};
  for (const s of option.series) {
    s.itemStyle = Object.assign(s.itemStyle || {}, {color: colour(roleOf(s))});
    if (s.lineStyle) s.lineStyle.color = colour(roleOf(s));
    if (s.lineStyle && palette[roleOf(s)][2]) s.lineStyle.type = palette[roleOf(s)][2];
    if (s.markLine) Object.assign(s.markLine, {silent: true, lineStyle: {color: ink, type: "dashed"}, label: {formatter: "{b}", position: "insideEndTop", color: ink}});
    if (s.markArea) Object.assign(s.markArea, {silent: true, itemStyle: {color: colour("band")}, label: {color: muted, position: "insideTopLeft"}});
  }
  option.tooltip = Object.assign(option.tooltip, {
    renderMode: "richText", confine: true, backgroundColor: ink, borderWidth: 0, textStyle: {color: colour("paper")},
    formatter: given => {
      const all = Array.isArray(given) ? given : [given], first = all[0];
      if (!Array.isArray(given)) return [x(first.value[0]), first.value[2] || ""].join("\n");
      const at = first.value[0], bar = first.seriesType === "bar";
      if (bar) all.reverse();
      const head = bar ? (el.dataset.x === "1" ? plain(at - slot / 2, 4) + " s to " + plain(at + slot / 2, 4) + " s" : x(at)) : x(at);
      return [head, ...all.map(o => o.seriesName + ": " + (o.value[1] === "-" ? "–" : y(bar && o.value.length > 2 ? o.value[2] : o.value[1])))].join("\n");
    },
  });
  return option;
}

const drawn = [];
function draw() {
  for (const chart of drawn.splice(0)) chart.dispose();
  for (const data of document.querySelectorAll("script.option")) {
    const el = document.getElementById(data.dataset.of), chart = echarts.init(el);
    chart.setOption(dress(JSON.parse(data.textContent), el));
    drawn.push(chart);
  }
}
if (typeof echarts === "undefined") {
  for (const el of document.querySelectorAll("section")) el.hidden = true;
} else {
  document.getElementById("missing").remove();
  draw();
  addEventListener("resize", () => { for (const chart of drawn) chart.resize(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
const themes = document.querySelectorAll("#theme button");
function showTheme() { for (const b of themes) b.setAttribute("aria-pressed", (b.dataset.theme === "dark") === isDark()); }
for (const b of themes) b.addEventListener("click", () => {
  document.documentElement.dataset.theme = b.dataset.theme;
  showTheme();
  if (typeof echarts !== "undefined") draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
showTheme();
window.stampede = {drawn};
