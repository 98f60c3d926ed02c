// Bars and curves of a sweep, drawn like the matrices they stand beside.

const CHART_HEIGHT = 190;

function chartGeometry(ctx, panel, width, maxHeight, font) {
  ctx.font = font(12);
  const [low, high] = panel.limits;
  const ticks = panel.log_y ? logTicks(low, high, 4) : niceTicks(low, high, 3);
  const left = Math.ceil(widest(ctx, ticks.map((v) => tickText(v, panel.log_y)))) + 10;
  const plotWidth = Math.min(width, 520) - left - 12;
  const plotHeight = Math.min(CHART_HEIGHT, maxHeight);
  const geo = { left, top: 26, bottom: 40, plotWidth, plotHeight, ticks, width: left + plotWidth + 12, slanted: false };
  if (panel.kind === "bars" && panel.labels.labels.length) {
    const longest = widest(ctx, panel.labels.labels);
    geo.slanted = longest > plotWidth / panel.labels.labels.length - 4 && panel.labels.labels.length <= 32 && longest > 22;
    if (geo.slanted) geo.bottom = 30 + Math.ceil(Math.min(longest, 84) * Math.SQRT1_2);
  }
  return geo;
}

const yPixel = (panel, geo, value) => {
  const scale = panel.log_y ? Math.log10 : (v) => v;
  const [low, high] = panel.limits.map(scale);
  return geo.top + geo.plotHeight * (1 - (scale(value) - low) / (high - low));
};

function paintFrame(ctx, panel, geo, scene, yTitle) {
  const { theme, font } = scene;
  ctx.lineWidth = 1;
  ctx.font = font(12);
  ctx.textBaseline = "middle";
  ctx.textAlign = "right";
  for (const tick of geo.ticks) {
    const y = Math.round(yPixel(panel, geo, tick)) + 0.5;
    ctx.strokeStyle = tick === 0 && !panel.log_y ? theme.muted : theme.grid;
    ctx.beginPath();
    ctx.moveTo(geo.left, y);
    ctx.lineTo(geo.left + geo.plotWidth, y);
    ctx.stroke();
    ctx.fillStyle = theme.muted;
    ctx.fillText(tickText(tick, panel.log_y), geo.left - 7, y);
  }
  ctx.textAlign = "left";
  ctx.font = font(12, 650);
  ctx.fillStyle = theme.muted;
  ctx.fillText(fit(ctx, yTitle, geo.plotWidth + geo.left), 0, 8);
}

function axisTitle(ctx, geo, theme, font, text, role) {
  ctx.font = font(12, 650);
  ctx.textAlign = "right";
  ctx.fillStyle = role ? theme.roles[role] : theme.muted;
  ctx.fillText(fit(ctx, text + " →", geo.plotWidth), geo.left + geo.plotWidth, geo.top + geo.plotHeight + geo.bottom - 8);
}

function paintBars(ctx, panel, geo, scene) {
  const { theme, font, lit, from, t } = scene;
  const n = panel.values.length;
  paintFrame(ctx, panel, geo, scene, panel.quantity);
  const plain = colourTable(theme.scales.sequential).css[LUT_SIZE * 0.6 | 0];
  const colours = [panel.role].flat().map((role) => theme.roles[role] ?? plain);
  const slot = geo.plotWidth / n;
  const gap = panel.edges ? Math.min(1, slot * 0.1) : slot >= 4 ? Math.min(6, slot * 0.22) : 0;
  const zero = yPixel(panel, geo, clamp(0, ...panel.limits));
  for (let i = 0; i < n; i++) {
    const before = t < 1 && from ? from.fractions[i] : NaN;
    const value = Number.isFinite(before) ? lerp(before, panel.values[i], t) : panel.values[i];
    const x = geo.left + i * slot + gap / 2;
    const width = slot - gap;
    if (!Number.isFinite(value)) {
      hatch(ctx, x, geo.top, width, geo.plotHeight, theme.muted);
      continue;
    }
    const y = yPixel(panel, geo, clamp(value, ...panel.limits));
    ctx.globalAlpha = lit.column !== null && lit.column !== i ? 0.35 : 1;
    ctx.fillStyle = colours[i % colours.length];
    ctx.beginPath();
    const r = Math.min(3, width / 4, Math.abs(zero - y));
    ctx.roundRect(x, Math.min(y, zero), width, Math.abs(zero - y), value >= 0 ? [r, r, 0, 0] : [0, 0, r, r]);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
  paintOverlay(ctx, panel, geo, theme, slot);
  paintBarLabels(ctx, panel, geo, scene, slot);
}

function paintOverlay(ctx, panel, geo, theme, slot) {
  if (!panel.overlay) return;
  const { x, y } = panel.overlay;
  const edges = panel.edges;
  const at = (v) => edges
    ? geo.left + (geo.plotWidth * (v - edges[0])) / (edges[edges.length - 1] - edges[0])
    : geo.left + (v + 0.5) * slot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(geo.left, geo.top - 2, geo.plotWidth, geo.plotHeight + 3);
  ctx.clip();
  ctx.beginPath();
  for (let i = 0; i < x.length; i++) ctx.lineTo(at(x[i]), yPixel(panel, geo, y[i]));
  ctx.strokeStyle = theme.paper;
  ctx.lineWidth = 5;
  ctx.lineJoin = "round";
  ctx.stroke();
  ctx.strokeStyle = theme.ink;
  ctx.lineWidth = 2;
  ctx.stroke();
  ctx.restore();
}

function paintBarLabels(ctx, panel, geo, { theme, font, lit }, slot) {
  const base = geo.top + geo.plotHeight;
  ctx.font = font(12);
  ctx.fillStyle = theme.muted;
  ctx.textAlign = "center";
  if (panel.edges) {
    const [low, high] = [panel.edges[0], panel.edges[panel.edges.length - 1]];
    for (const tick of niceTicks(low, high, 4)) {
      ctx.fillText(formatTick(tick), geo.left + (geo.plotWidth * (tick - low)) / (high - low), base + 13);
    }
  } else {
    const labels = panel.labels.labels;
    const every = Math.ceil((geo.slanted ? 15 : Math.max(22, widest(ctx, labels.slice(-1)) + 8)) / slot);
    const plain = !geo.slanted && widest(ctx, labels) <= slot - 2;
    labels.forEach((label, i) => {
      const is = lit.column === i;
      if (!is && !plain && (i % every || (lit.column !== null && Math.abs(lit.column - i) < every))) return;
      ctx.font = font(12, is ? 650 : 400);
      ctx.fillStyle = is ? (panel.labels.role ? theme.roles[panel.labels.role] : theme.ink) : theme.muted;
      ctx.save();
      ctx.translate(geo.left + (i + 0.5) * slot + (geo.slanted ? 3 : 0), base + (geo.slanted ? 8 : 13));
      if (geo.slanted) ctx.rotate(-Math.PI / 4);
      ctx.textAlign = geo.slanted ? "right" : "center";
      ctx.fillText(fit(ctx, label, 84), 0, 0);
      ctx.restore();
    });
  }
  axisTitle(ctx, geo, theme, font, panel.labels.title, panel.labels.role);
}

function linesX(panel, geo) {
  const scale = panel.log_x ? Math.log10 : (v) => v;
  const [low, high] = [scale(panel.x[0]), scale(panel.x[panel.x.length - 1])];
  return (v) => geo.left + 6 + ((geo.plotWidth - 12) * (scale(v) - low)) / (high - low || 1);
}

function seriesColour(series, i, theme) {
  if (series.role) return theme.roles[series.role];
  return series.dashed ? theme.muted : [theme.primary, theme.ink, theme.muted][i % 3];
}

function paintLines(ctx, panel, geo, scene) {
  const { theme, font, lit } = scene;
  const drawable = (v) => Number.isFinite(v) && !(panel.log_y && v <= 0);
  const at = linesX(panel, geo);
  paintFrame(ctx, panel, geo, scene, panel.y_title);
  const cursor = lit.column ?? scene.step;
  if (cursor !== null && cursor < panel.x.length) {
    ctx.strokeStyle = theme.muted;
    ctx.lineWidth = 1;
    ctx.beginPath();
    const x = Math.round(at(panel.x[cursor])) + 0.5;
    ctx.moveTo(x, geo.top);
    ctx.lineTo(x, geo.top + geo.plotHeight);
    ctx.stroke();
  }
  ctx.save();
  ctx.beginPath();
  ctx.rect(geo.left, geo.top - 6, geo.plotWidth + 6, geo.plotHeight + 12);
  ctx.clip();
  panel.series.forEach((series, s) => {
    const colour = seriesColour(series, s, theme);
    if (series.band) paintBand(ctx, panel, geo, series.band, at, colour);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2;
    ctx.lineJoin = "round";
    ctx.setLineDash(series.dashed ? [5, 4] : []);
    ctx.beginPath();
    let pen = false;
    series.values.forEach((v, i) => {
      if (!drawable(v)) return (pen = false);
      ctx[pen ? "lineTo" : "moveTo"](at(panel.x[i]), yPixel(panel, geo, v));
      pen = true;
    });
    ctx.stroke();
    ctx.setLineDash([]);
    if (cursor === null || !drawable(series.values[cursor])) return;
    ctx.beginPath();
    ctx.arc(at(panel.x[cursor]), yPixel(panel, geo, series.values[cursor]), 4.5, 0, 7);
    ctx.fillStyle = colour;
    ctx.strokeStyle = theme.paper;
    ctx.fill();
    ctx.stroke();
  });
  ctx.restore();
  paintLinesLabels(ctx, panel, geo, theme, font, at);
}

function paintBand(ctx, panel, geo, [low, high], at, colour) {
  const bottom = panel.limits[0];
  const y = (v) => yPixel(panel, geo, panel.log_y ? Math.max(v, bottom) : v);
  ctx.beginPath();
  high.forEach((v, i) => ctx.lineTo(at(panel.x[i]), y(v)));
  for (let i = low.length - 1; i >= 0; i--) ctx.lineTo(at(panel.x[i]), y(low[i]));
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.16;
  ctx.fill();
  ctx.globalAlpha = 1;
}

function paintLinesLabels(ctx, panel, geo, theme, font, at) {
  const base = geo.top + geo.plotHeight;
  ctx.font = font(12);
  ctx.fillStyle = theme.muted;
  ctx.textAlign = "center";
  const every = Math.ceil(panel.x.length / Math.max(2, Math.floor(geo.plotWidth / 56)));
  const ticks = panel.x.length <= 16 ? panel.x.filter((_, i) => i % every === 0)
    : panel.log_x ? logTicks(panel.x[0], panel.x[panel.x.length - 1], 5)
      : niceTicks(panel.x[0], panel.x[panel.x.length - 1], 4);
  for (const tick of ticks) ctx.fillText(tickText(tick, panel.log_x), at(tick), base + 15);
  axisTitle(ctx, geo, theme, font, panel.x_title, null);
}
