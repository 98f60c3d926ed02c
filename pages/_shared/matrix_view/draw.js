// Drawing: colours, numbers, text and geometry. Nothing here knows about Streamlit or events.

const LUT_SIZE = 512;
const GAPPED = 16; // matrices up to this many rows and columns are drawn as separate rounded cells
const IMAGE_CELLS = 4096; // above this a matrix is painted as one image

// Making a format takes longer than a hundred uses of it.
const formats = new Map();
function withDecimals(digits) {
  if (!formats.has(digits)) formats.set(digits, new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  return formats.get(digits);
}
const sixDigits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

function formatNumber(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text;
  if (Number.isInteger(value) && size < 1e6) text = withDecimals(0).format(value);
  else if (size >= 1e-3 && size < 1e6) text = withDecimals(Math.max(0, 2 - Math.floor(Math.log10(size)))).format(value);
  else text = value.toExponential(2).replace("e+", "e");
  return text.startsWith("-") ? "−" + text.slice(1) : text;
}

const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function parseColour(css) {
  if (/^#[0-9a-f]{6}/i.test(css)) return channels(css);
  return (css.match(/[\d.]+/g) ?? [255, 255, 255]).slice(0, 3).map(Number);
}

// One colour for each of LUT_SIZE fractions, and the ink that reads best on it.
const tables = new Map();
function colourTable(stops) {
  const id = stops.join();
  if (tables.has(id)) return tables.get(id);
  const known = stops.map(channels);
  const table = { css: [], ink: [], pixel: new Uint32Array(LUT_SIZE) };
  for (let i = 0; i < LUT_SIZE; i++) {
    const at = (i / (LUT_SIZE - 1)) * (known.length - 1);
    const low = Math.min(Math.floor(at), known.length - 2);
    const rgb = known[low].map((c, k) => Math.round(c + (known[low + 1][k] - c) * (at - low)));
    table.css.push(`rgb(${rgb})`);
    table.pixel[i] = (255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0];
    table.ink.push(luminance(rgb) > 0.2 ? "#14161c" : "#ffffff");
  }
  tables.set(id, table);
  return table;
}

const lerp = (from, to, t) => from + (to - from) * t;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function fit(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  const letters = Array.from(text);
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(letters.slice(0, middle).join("") + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join("") + "…";
}

const widest = (ctx, labels) => labels.reduce((most, label) => Math.max(most, ctx.measureText(label).width), 0);

function niceTicks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-6); i * step <= high + step * 1e-6; i++) ticks.push(+(i * step).toPrecision(12));
  return ticks;
}

function logTicks(low, high, count) {
  const first = Math.ceil(Math.log10(low) - 1e-6);
  const last = Math.floor(Math.log10(high) + 1e-6);
  const every = Math.max(1, Math.ceil((last - first + 1) / count));
  const ticks = [];
  for (let p = first; p <= last; p += every) ticks.push(10 ** p);
  return ticks.length ? ticks : [low, high];
}

const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
function tickText(value, log) {
  const power = Math.log10(value);
  if (!log || !Number.isInteger(power) || Math.abs(power) < 3) return formatTick(value);
  return "10" + Array.from(String(power), (c) => SUPERSCRIPT[c]).join("");
}
function formatTick(value) {
  const size = Math.abs(value);
  if (size && (size < 1e-3 || size >= 1e6)) return formatNumber(value).replace(/\.?0+e/, "e");
  return sixDigits.format(value).replace("-", "−");
}

// ---- matrices ----

function matrixGeometry(ctx, panel, width, maxHeight, font) {
  const rows = panel.rows.labels.length;
  const columns = panel.columns.labels.length;
  ctx.font = font(12, 650);
  const title = ctx.measureText(panel.rows.title + " ↓").width;
  ctx.font = font(13);
  const left = Math.ceil(Math.max(title, Math.min(widest(ctx, panel.rows.labels), 120, width * 0.3))) + 10;
  const longest = widest(ctx, panel.columns.labels);
  const room = width - left - 2;
  let cw = clamp(room / columns, 0.25, 56);
  let ch = clamp(maxHeight / rows, 0.25, 56);
  if (rows <= 2 * columns && columns <= 2 * rows) cw = ch = Math.min(cw, ch);
  else ch = Math.min(ch, Math.max(cw, 24));
  // Slanted labels reach over the right border by their own projection; cells give way to them.
  const slanted = longest > cw - 4;
  const reach = slanted ? Math.min(longest, 84) * Math.SQRT1_2 : 0;
  const overhang = Math.max(0, reach - cw * 0.4);
  if (left + cw * columns + overhang > width) {
    cw = Math.max(0.25, (width - left - overhang) / columns);
    if (rows <= 2 * columns && columns <= 2 * rows) ch = cw;
  }
  if (cw >= 8) cw = Math.floor(cw);
  if (ch >= 8) ch = Math.floor(ch);
  return {
    left, cw, ch, slanted, rows, columns,
    top: 22 + (slanted ? Math.ceil(reach + 8) : 18),
    width: Math.ceil(left + cw * columns + overhang) + 1,
    bottom: 2,
  };
}

function fractions(panel, values) {
  const [low, high] = panel.limits;
  const out = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) out[i] = (values[i] - low) / (high - low);
  return out;
}

function paintMatrix(ctx, panel, geo, scene) {
  const { theme, font, lit, from, t } = scene;
  const { left, top, cw, ch, rows, columns } = geo;
  const table = colourTable(theme.scales[panel.scale]);
  const moving = t < 1 && from;
  const place = (was, at) => (moving && was ? lerp(was[at], at, t) : at);
  const rowAt = Array.from({ length: rows }, (_, r) => top + ch * place(from?.row, r));
  const columnAt = Array.from({ length: columns }, (_, c) => left + cw * place(from?.column, c));
  const fraction = (r, c) => {
    const i = r * columns + c;
    const to = panel.fractions[i];
    const before = moving ? from.fractions[i] : NaN;
    return Number.isFinite(before) && Number.isFinite(to) ? lerp(before, to, t) : to;
  };
  if (rows * columns > IMAGE_CELLS) {
    const raster = panel.raster ?? paintImage(panel, geo, theme, table, fraction);
    panel.raster = t < 1 ? null : raster;
    ctx.imageSmoothingEnabled = cw < 1 || ch < 1;
    ctx.imageSmoothingQuality = "high";
    ctx.drawImage(raster, left, top, cw * columns, ch * rows);
  }
  else paintCells(ctx, panel, geo, scene, table, fraction, rowAt, columnAt);
  if (lit.row !== null || lit.column !== null) dim(ctx, panel, geo, theme, lit);
  const ring = (cell, colour, thick) => {
    if (!cell || cell.includes(null)) return;
    ctx.lineWidth = thick;
    ctx.strokeStyle = colour;
    roundRect(ctx, left + cell[1] * cw - 0.5, top + cell[0] * ch - 0.5, cw + 1, ch + 1, radius(cw, ch) + 1.5);
    ctx.stroke();
  };
  ring(scene.selected, theme.paper, 5);
  ring(scene.selected, theme.primary, 2.5);
  if (String(scene.pointed) !== String(scene.selected)) ring(scene.pointed, theme.ink, 2);
  paintMatrixLabels(ctx, panel, geo, theme, font, lit, rowAt, columnAt);
}

const radius = (cw, ch) => Math.min(6, Math.min(cw, ch) * 0.18);
function roundRect(ctx, x, y, w, h, r) {
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, r);
}

function paintCells(ctx, panel, geo, scene, table, fraction, rowAt, columnAt) {
  const { theme, font } = scene;
  const { cw, ch, rows, columns } = geo;
  const separate = rows <= GAPPED && columns <= GAPPED && Math.min(cw, ch) >= 10;
  const gap = separate ? 2 : Math.min(cw, ch) >= 8 ? 1 : 0;
  const [plain, strong] = [font(12), font(12, 650)];
  if (panel.texts === undefined) panel.texts = cw >= 34 && ch >= 20 ? cellTexts(ctx, panel, cw - 7, plain) : null;
  const { texts } = panel;
  ctx.font = plain;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      const i = r * columns + c;
      const [x, y, w, h] = [columnAt[c] + gap / 2, rowAt[r] + gap / 2, cw - gap, ch - gap];
      const value = fraction(r, c);
      const hidden = panel.hidden?.[i];
      const at = clamp(Math.round(value * (LUT_SIZE - 1)), 0, LUT_SIZE - 1);
      const drawn = !hidden && Number.isFinite(value);
      ctx.fillStyle = drawn ? table.css[at] : theme.hidden;
      if (separate) {
        roundRect(ctx, x, y, w, h, radius(cw, ch));
        ctx.fill();
      } else ctx.fillRect(x, y, w + (gap ? 0 : 0.5), h + (gap ? 0 : 0.5));
      if (hidden) continue;
      if (!drawn) hatch(ctx, x, y, w, h, theme.muted);
      if (texts && (drawn || cw >= 34)) {
        if (!drawn) ctx.font = strong;
        ctx.fillStyle = drawn ? table.ink[at] : theme.ink;
        ctx.fillText(drawn ? texts[i] : formatNumber(panel.values[i]), x + w / 2, y + h / 2 + 0.5);
        if (!drawn) ctx.font = plain;
      }
    }
  }
}

// The numbers inside the cells: three significant digits if all fit, fewer decimals if not, none if none fit.
function cellTexts(ctx, panel, width, font) {
  ctx.font = font;
  const shown = Array.from(panel.values, (v, i) => (panel.hidden?.[i] || !Number.isFinite(v) ? "" : formatNumber(v)));
  if (widest(ctx, shown) <= width) return shown;
  const reach = Math.max(...panel.limits.map(Math.abs));
  if (reach < 0.05 || reach >= 1e4) return null;
  const short = shown.map((s, i) => s && panel.values[i].toFixed(reach < 10 ? 2 : reach < 100 ? 1 : 0).replace("-", "−"));
  return widest(ctx, short) <= width ? short : null;
}

function hatch(ctx, x, y, w, h, colour) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(x, y, w, h);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.45;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let d = -h; d < w; d += 5) {
    ctx.moveTo(x + d, y + h);
    ctx.lineTo(x + d + h, y);
  }
  ctx.stroke();
  ctx.restore();
}

function paintImage(panel, geo, theme, table, fraction) {
  const { rows, columns } = geo;
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const [r, g, b] = channels(theme.hidden);
  const blank = (255 << 24) | (b << 16) | (g << 8) | r;
  for (let y = 0, i = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++, i++) {
      const value = fraction(y, x);
      const drawn = !panel.hidden?.[i] && Number.isFinite(value);
      pixels[i] = drawn ? table.pixel[clamp(Math.round(value * (LUT_SIZE - 1)), 0, LUT_SIZE - 1)] : blank;
    }
  }
  const buffer = new OffscreenCanvas(columns, rows);
  buffer.getContext("2d").putImageData(image, 0, 0);
  return buffer;
}

// Everything but the lit row and column steps back.
function dim(ctx, panel, geo, theme, lit) {
  const { left, top, cw, ch, rows, columns } = geo;
  const [right, bottom] = [left + cw * columns, top + ch * rows];
  const row = lit.row === null ? null : [left, top + lit.row * ch, cw * columns, ch];
  const column = lit.column === null ? null : [left + lit.column * cw, top, cw, ch * rows];
  const bright = new Path2D();
  if (row) bright.rect(...row);
  if (column && !row) bright.rect(...column);
  else if (column) {
    bright.rect(column[0], top - 1, cw, row[1] - top + 1);
    bright.rect(column[0], row[1] + ch, cw, bottom + 1 - row[1] - ch);
  }
  const shade = new Path2D(bright);
  shade.rect(left - 1, top - 1, right - left + 2, bottom - top + 2);
  ctx.globalAlpha = 0.62;
  ctx.fillStyle = theme.paper;
  ctx.fill(shade, "evenodd");
  ctx.globalAlpha = 1;
  if (Math.min(cw, ch) >= 12) return;
  // Brightness alone does not show a band of faint, tiny cells.
  ctx.lineWidth = 1;
  for (const [band, axis] of [[row, panel.rows], [column, panel.columns]]) {
    if (!band) continue;
    ctx.strokeStyle = axis.role ? theme.roles[axis.role] : theme.muted;
    ctx.strokeRect(band[0] - 0.5, band[1] - 0.5, band[2] + 1, band[3] + 1);
  }
}

function paintMatrixLabels(ctx, panel, geo, theme, font, lit, rowAt, columnAt) {
  const { left, top, cw, ch, rows, columns, slanted } = geo;
  const strong = (axis) => (axis.role ? theme.roles[axis.role] : theme.ink);
  ctx.textBaseline = "middle";
  const rowsEvery = Math.ceil(15 / ch);
  for (let r = 0; r < rows; r++) {
    const is = lit.row === r;
    if (!is && (r % rowsEvery || (lit.row !== null && Math.abs(lit.row - r) < rowsEvery && rowsEvery > 1))) continue;
    ctx.textAlign = "right";
    ctx.font = font(13, is ? 650 : 400);
    ctx.fillStyle = is ? strong(panel.rows) : lit.row === null ? theme.ink : theme.muted;
    ctx.fillText(fit(ctx, panel.rows.labels[r], left - 9), left - 8, rowAt[r] + ch / 2 + 0.5);
  }
  const columnsEvery = Math.ceil((slanted ? 15 : 1) / cw);
  for (let c = 0; c < columns; c++) {
    const is = lit.column === c;
    if (!is && (c % columnsEvery || (lit.column !== null && Math.abs(lit.column - c) < columnsEvery && columnsEvery > 1))) continue;
    ctx.font = font(13, is ? 650 : 400);
    ctx.fillStyle = is ? strong(panel.columns) : lit.column === null ? theme.ink : theme.muted;
    const x = columnAt[c] + cw / 2;
    if (slanted) {
      ctx.save();
      ctx.translate(x + 1, top - 7);
      ctx.rotate(-Math.PI / 4);
      ctx.textAlign = "left";
      ctx.fillText(fit(ctx, panel.columns.labels[c], 84), 0, 0);
      ctx.restore();
    } else {
      ctx.textAlign = "center";
      ctx.fillText(fit(ctx, panel.columns.labels[c], cw - 2), x, top - 11);
    }
  }
  ctx.font = font(12, 650);
  ctx.textAlign = "right";
  ctx.fillStyle = panel.rows.role ? theme.roles[panel.rows.role] : theme.muted;
  ctx.fillText(panel.rows.title + " ↓", left - 8, top - 11);
  ctx.textAlign = "left";
  ctx.fillStyle = panel.columns.role ? theme.roles[panel.columns.role] : theme.muted;
  ctx.fillText(panel.columns.title + " →", left + 2, 8);
}
