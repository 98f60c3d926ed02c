// One view: its panels, its slider, and what a hand or a key does to them.

const MOVE_MS = 200;
const FRAME_MS = 16;
const PHONE = 480; // below this width panels stand one below the other, so that their numbers can be read
const LIGHT = "attention:hover";

const views = new WeakMap();
// Where each view stood last. The description cannot hold it (moving would send all numbers again), and a view that
// is taken down and put up again must not jump back to where the description was made.
const positions = new Map();

export default function ({ data, parentElement, setStateValue }) {
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = new View(parentElement)));
  const run = view.update(data, setStateValue);
  return () => {
    if (view.run !== run) return; // a newer run has taken over; its own cleanup will come
    view.destroy();
    views.delete(parentElement);
  };
}

function element(tag, className, parent, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  parent?.append(made);
  return made;
}

function bytes(base64) {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

// A row is followed by its label; equal labels by their order.
function identities(labels) {
  const seen = new Map();
  return labels.map((label) => {
    const count = seen.get(label) ?? 0;
    seen.set(label, count + 1);
    return `${count} ${label}`;
  });
}

function whereFrom(before, after) {
  const at = new Map(before.map((id, i) => [id, i]));
  return after.map((id, i) => at.get(id) ?? i);
}

class View {
  constructor(root) {
    this.box = root.querySelector(".view");
    this.panels = [];
    this.run = 0;
    this.lit = null;
    this.tables = false;
    this.list = element("div", "panels", this.box);
    this.buildSweep();
    this.tip = element("div", "tip", this.box);
    this.tip.setAttribute("aria-hidden", "true");
    this.spoken = element("div", "unseen", this.box);
    this.spoken.setAttribute("aria-live", "polite");
    this.reading = element("div", "unseen", this.box);
    this.resize = new ResizeObserver(() => this.width !== this.box.clientWidth && this.layout());
    this.resize.observe(this.box);
    this.stop = new AbortController();
    const { signal } = this.stop;
    document.addEventListener(LIGHT, (event) => this.hear(event.detail), { signal });
    document.addEventListener("pointerdown", (event) => event.composedPath().includes(this.box) || this.leave(), { signal });
    this.box.addEventListener("focusin", () => this.buildTables(), { signal });
    this.watchResolution();
    document.fonts.ready.then(() => this.run && this.layout());
  }

  // Moving the window to a screen of another density calls for a new backing store.
  watchResolution() {
    const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    const once = { signal: this.stop.signal, once: true };
    query.addEventListener("change", () => (this.layout(), this.watchResolution()), once);
  }

  destroy() {
    this.stop.abort();
    this.resize.disconnect();
    cancelAnimationFrame(this.frame);
    if (this.lit?.own) this.send(this.lit, null);
    this.box.replaceChildren();
  }

  update(data, setStateValue) {
    this.setStateValue = setStateValue;
    this.readTheme();
    // Every run of the page sends its views again; one that is the same stays as it is.
    const look = JSON.stringify([{ ...data, block: "" }, this.theme, this.font(12)]);
    if (look !== this.look || data.block !== this.data.block) this.take(data);
    this.look = look;
    return ++this.run;
  }

  // ---- what is shown ----

  take(data) {
    this.data = data;
    const block = new Float32Array(bytes(data.block).buffer);
    const before = this.panels;
    const known = positions.get(data.id);
    if (!known || known.order !== data.at.order) positions.set(data.id, { ...data.at });
    this.position = positions.get(data.id);
    this.steps = data.sweep ? data.sweep.values.length : 1;
    this.box.setAttribute("aria-label", data.summary);
    const same = before.length === data.panels.length && before.every((p, i) => p.kind === data.panels[i].kind);
    const old = same ? before.map((panel) => this.snapshot(panel)) : [];
    if (!same) {
      this.list.replaceChildren();
      this.panels = data.panels.map((_, i) => this.buildPanel(i));
    }
    this.panels = data.panels.map((given, i) => ({ ...given, block, parts: this.panels[i].parts, index: i }));
    this.panels.forEach((panel) => this.name(panel));
    this.showSweep();
    this.pose();
    this.arrange();
    this.move(old);
    if (this.pointed && this.inside(this.pointed)) this.point(this.pointed, Boolean(this.keyed), true);
    else this.leave();
    if (this.tables) this.buildTables(true);
  }

  // The position may be one that this view does not have but the next one has again.
  get step() {
    return this.position.step < this.steps ? this.position.step : 0;
  }

  get cell() {
    const { cell } = this.position;
    const panel = cell && this.panels[cell[0]];
    const exists = panel?.kind === "matrix" && cell[1] < panel.rows.labels.length && cell[2] < panel.columns.labels.length;
    return exists ? cell : null;
  }

  inside([index, row, column]) {
    const panel = this.panels[index];
    if (!panel) return false;
    const rows = panel.kind === "matrix" ? panel.rows.labels.length : 1;
    const columns = panel.kind === "matrix" ? panel.columns.labels.length : (panel.x ?? panel.values).length;
    return (row ?? 0) < rows && (column ?? 0) < columns;
  }

  // The numbers of the current step, as views into the block.
  pose() {
    const { step, steps } = this;
    for (const panel of this.panels) {
      const given = this.data.panels[panel.index];
      const part = ({ start, length, swept }) => {
        const size = swept ? length / steps : length;
        return panel.block.subarray(start + (swept ? step * size : 0), start + (swept ? step * size : 0) + size);
      };
      if (panel.kind === "lines") {
        panel.x = part(given.x);
        panel.series = given.series.map((s) => ({ ...s, values: part(s.values), band: s.band?.map(part) }));
        panel.cursor = panel.x.length === steps && steps > 1;
        continue;
      }
      panel.values = part(given.values);
      panel.raster = null;
      panel.texts = undefined;
      panel.fractions = panel.kind === "matrix" ? fractions(panel, panel.values) : panel.values;
      if (panel.kind === "matrix") panel.hidden = given.hidden && (panel.mask ??= bytes(given.hidden));
      else {
        panel.edges = given.edges && part(given.edges);
        panel.overlay = given.overlay && { x: part(given.overlay[0]), y: part(given.overlay[1]) };
      }
    }
  }

  snapshot(panel) {
    if (panel.kind === "lines") return null;
    const labels = panel.kind === "matrix" ? [panel.rows.labels, panel.columns.labels] : [[], panel.labels.labels];
    return { fractions: panel.fractions.slice(), ids: labels.map(identities) };
  }

  // Lets every panel go from its old picture to its new one, so that the eye can follow.
  move(old) {
    cancelAnimationFrame(this.frame);
    this.panels.forEach((panel, i) => (panel.from = old[i] && this.start(panel, old[i])));
    if (!this.panels.some((panel) => panel.from) || matchMedia("(prefers-reduced-motion: reduce)").matches) return this.paint();
    const begin = performance.now() - FRAME_MS; // the first picture is already on its way: nobody waits for a still one
    const tick = () => {
      const linear = clamp((performance.now() - begin) / MOVE_MS, 0, 1);
      this.paint(1 - (1 - linear) ** 3);
      if (linear < 1) this.frame = requestAnimationFrame(tick);
    };
    tick();
  }

  start(panel, old) {
    if (old.fractions.length !== panel.fractions.length) return null;
    const still = panel.kind !== "matrix" || panel.fractions.length > IMAGE_CELLS;
    if (still) return { ...old, row: null, column: null };
    const row = whereFrom(old.ids[0], identities(panel.rows.labels));
    const column = whereFrom(old.ids[1], identities(panel.columns.labels));
    if (old.ids[0].length !== row.length) return null;
    const n = column.length;
    // A cell starts where its row and column were, with the colour it had there.
    const began = panel.fractions.map((_, i) => old.fractions[row[(i / n) | 0] * n + column[i % n]]);
    return { row, column, fractions: began };
  }

  // ---- layout and paint ----

  readTheme() {
    const style = getComputedStyle(this.box);
    const read = (name, other) => style.getPropertyValue(name).trim() || other;
    const paper = read("--st-background-color", "#ffffff");
    const mode = luminance(parseColour(paper)) > 0.35 ? "light" : "dark";
    this.theme = { ...THEME[mode], paper, ink: read("--st-text-color", THEME[mode].ink), primary: read("--st-primary-color", "#4b3ba3") };
    const family = style.fontFamily; // asked once: the answer of a living style is looked up each time
    this.font = (size, weight = 400) => `${weight} ${size}px ${family}`;
    const own = this.box.style;
    own.setProperty("--muted", this.theme.muted);
    own.setProperty("--hidden", this.theme.hidden);
    for (const role of Object.keys(this.theme.roles)) own.setProperty(`--${role}`, this.theme.roles[role]);
  }

  layout() {
    this.arrange();
    this.paint();
  }

  arrange() {
    this.width = this.box.clientWidth;
    if (!this.data || !this.width) return;
    const [gap, least] = [24, 160];
    const fitting = this.width < PHONE ? 1 : Math.floor((this.width + gap) / (least + gap));
    const most = clamp(fitting, 1, this.panels.length);
    const across = Math.ceil(this.panels.length / Math.ceil(this.panels.length / most));
    const room = this.width - 1; // clientWidth is rounded, and half a pixel too many wraps the last panel
    const width = Math.floor((room - gap * (across - 1)) / across);
    for (const panel of this.panels) {
      const measure = panel.kind === "matrix" ? matrixGeometry : chartGeometry;
      panel.geo = measure(panel.parts.canvas.getContext("2d"), panel, width, this.data.height, this.font);
    }
    const widest = Math.min(width, Math.max(...this.panels.map((panel) => panel.geo.width)));
    this.list.style.gridTemplateColumns = `repeat(${across}, ${widest}px)`;
    const matrices = this.panels.filter((panel) => panel.kind === "matrix");
    const top = Math.max(0, ...matrices.map((panel) => panel.geo.top));
    for (const panel of matrices) panel.geo.top = top;
    for (const panel of this.panels) {
      const { geo, parts } = panel;
      panel.raster = null;
      panel.texts = undefined;
      geo.height = Math.ceil(geo.top + (panel.kind === "matrix" ? geo.ch * geo.rows : geo.plotHeight) + geo.bottom);
      parts.panel.style.width = `${Math.min(geo.width, width)}px`;
      this.legend(panel);
      const ratio = devicePixelRatio || 1;
      parts.canvas.width = Math.round(geo.width * ratio);
      parts.canvas.height = Math.round(geo.height * ratio);
      parts.canvas.style.width = `${geo.width}px`;
      parts.canvas.style.height = `${geo.height}px`;
    }
  }

  paint(t = 1) {
    if (!this.width) return;
    const ratio = devicePixelRatio || 1;
    const { cell, step } = this;
    for (const panel of this.panels) {
      const ctx = panel.parts.canvas.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, panel.geo.width, panel.geo.height);
      const scene = { theme: this.theme, font: this.font, lit: this.litOn(panel), from: panel.from, t };
      scene.pointed = this.pointed?.[0] === panel.index ? this.pointed.slice(1) : null;
      scene.selected = cell?.[0] === panel.index ? cell.slice(1) : null;
      scene.step = panel.cursor ? step : panel.marked ?? null;
      ({ matrix: paintMatrix, bars: paintBars, lines: paintLines })[panel.kind](ctx, panel, panel.geo, scene);
    }
    if (t === 1) this.panels.forEach((panel) => (panel.from = null));
  }

  // ---- parts of the page ----

  buildPanel(index) {
    const panel = element("div", "panel", this.list);
    const title = element("div", "title", panel);
    const plot = element("div", "plot", panel);
    plot.tabIndex = 0;
    plot.setAttribute("role", "application");
    const canvas = element("canvas", "", plot);
    canvas.setAttribute("aria-hidden", "true");
    const legend = element("div", "legend", panel);
    const note = element("div", "note", panel);
    const at = (event) => this.hit(index, event);
    plot.onpointermove = (event) => event.pointerType !== "touch" && this.point(at(event));
    plot.onpointerleave = (event) => event.pointerType !== "touch" && this.leave();
    plot.onclick = (event) => this.tap(at(event));
    plot.onkeydown = (event) => this.key(index, event);
    plot.onfocus = () => plot.matches(":focus-visible") && this.point(this.home(index), true);
    plot.onblur = () => this.keyed && this.leave();
    return { parts: { panel, title, plot, canvas, legend, note } };
  }

  name(panel) {
    const { title, plot, note } = panel.parts;
    title.textContent = panel.title;
    note.textContent = panel.note;
    note.hidden = !panel.note;
    const size = panel.kind === "matrix" ? `, ${panel.rows.labels.length} rows, ${panel.columns.labels.length} columns` : "";
    plot.setAttribute("aria-label", `${panel.title}${size}`);
    plot.setAttribute("aria-roledescription", { matrix: "heatmap", bars: "bar chart", lines: "line chart" }[panel.kind]);
  }

  legend(panel) {
    const { legend } = panel.parts;
    legend.replaceChildren();
    legend.style.paddingLeft = `${this.indent(panel)}px`;
    if (panel.kind === "matrix") {
      const unit = panel.unit ? ` (${panel.unit})` : "";
      element("span", "number", legend, formatNumber(panel.limits[0]));
      const ramp = element("span", "ramp", legend);
      ramp.style.background = `linear-gradient(to right, ${this.theme.scales[panel.scale].join()})`;
      panel.parts.marker = element("i", "", ramp);
      element("span", "number", legend, formatNumber(panel.limits[1]));
      element("span", "quantity", legend, panel.quantity + unit);
      if (panel.hidden) element("span", "swatch", legend, "hidden by the mask");
    } else if (panel.kind === "bars") {
      if (panel.overlay) element("span", "line", legend, panel.overlay_name).style.setProperty("--line", this.theme.ink);
    } else {
      panel.series.forEach((series, i) => {
        const item = element("span", series.dashed ? "line dashed" : "line", legend, series.name);
        item.style.setProperty("--line", seriesColour(series, i, this.theme));
      });
    }
    legend.hidden = !legend.childElementCount;
  }

  // The colour bar starts where the cells do, unless it needs the room.
  indent({ kind, geo, limits, parts }) {
    if (kind !== "matrix") return geo.left;
    const ctx = parts.canvas.getContext("2d");
    ctx.font = this.font(12);
    const numbers = limits.reduce((sum, limit) => sum + ctx.measureText(formatNumber(limit)).width, 0);
    return Math.floor(clamp(geo.width - numbers - 76, 0, geo.left));
  }

  buildSweep() {
    this.sweep = element("div", "sweep", this.box);
    const words = element("div", "words", this.sweep);
    this.sweepName = element("label", "", words);
    this.sweepName.htmlFor = "sweep";
    this.sweepValue = element("span", "now", words);
    this.range = element("input", "", this.sweep);
    this.range.id = "sweep";
    this.range.type = "range";
    this.range.min = 0;
    this.range.step = 1;
    this.range.oninput = () => this.stepTo(Number(this.range.value));
    this.range.onchange = () => {
      this.setStateValue("step", [this.position.order, this.position.step]);
      if (this.tables) this.buildTables(true);
    };
    this.range.onkeydown = (event) => /^(Arrow|Home|End)/.test(event.key) && event.stopPropagation();
  }

  showSweep() {
    const { sweep } = this.data;
    this.sweep.hidden = !sweep;
    if (!sweep) return;
    this.sweepName.textContent = sweep.label;
    this.range.max = sweep.values.length - 1;
    this.range.value = this.step;
    this.sayStep();
  }

  sayStep() {
    const text = this.data.sweep.values[this.step];
    this.sweepValue.textContent = text;
    this.range.setAttribute("aria-valuetext", text);
    this.range.style.setProperty("--done", `${(100 * this.step) / Math.max(1, this.range.max)}%`);
  }

  stepTo(step) {
    cancelAnimationFrame(this.frame);
    this.position.step = step;
    this.panels.forEach((panel) => (panel.from = null));
    this.pose();
    this.sayStep();
    this.paint();
    if (this.pointed) this.readOut();
  }

  // ---- pointing, choosing, keys ----

  hit(index, event) {
    const panel = this.panels[index];
    const box = panel.parts.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - panel.geo.left, event.clientY - box.top - panel.geo.top];
    if (panel.kind === "matrix") {
      const [row, column] = [Math.floor(y / panel.geo.ch), Math.floor(x / panel.geo.cw)];
      const { rows, columns } = panel.geo;
      if (row < rows && column < columns && row >= 0 && column >= 0) return [index, row, column];
      // On a label its whole row or column is meant.
      if (x < 0 && row >= 0 && row < rows) return [index, row, null];
      return y < 0 && y > -geoLabels(panel.geo) && column >= 0 && column < columns ? [index, null, column] : null;
    }
    const at = panel.kind === "bars" ? barAt(panel, x) : nearestX(panel, x + panel.geo.left);
    return at === null || y < -8 || y > panel.geo.plotHeight + 24 ? null : [index, 0, at];
  }

  home(index) {
    if (this.cell?.[0] === index) return [...this.cell];
    if (this.pointed?.[0] === index && !this.pointed.includes(null)) return this.pointed;
    return [index, 0, this.panels[index].cursor ? this.step : 0];
  }

  point(cell, byKey = false, again = false) {
    if (!cell) return this.leave();
    this.keyed = byKey ? cell : null;
    if (!byKey && !again && this.pointed && String(this.pointed) === String(cell)) return;
    this.pointed = cell;
    this.light(cell);
    this.readOut();
    if (byKey && !again) this.spoken.textContent = this.words(cell).map((part) => part.text).join(" ");
  }

  leave() {
    if (!this.pointed && !this.lit) return;
    this.pointed = this.keyed = null;
    this.tip.classList.remove("shown");
    this.panels.forEach((panel) => panel.parts.marker && (panel.parts.marker.style.opacity = 0));
    this.light(null);
  }

  tap(cell) {
    if (!cell) return this.leave();
    this.point(cell);
    if (this.panels[cell[0]].kind === "matrix" && !cell.includes(null)) this.choose(cell);
  }

  choose(cell) {
    this.position.cell = String(this.cell) === String(cell) ? null : cell;
    this.paint();
    this.setStateValue("cell", [this.position.order, ...(this.position.cell ?? [])]);
  }

  key(index, event) {
    const panel = this.panels[index];
    const [, row, column] = this.keyed ?? this.home(index);
    const [rows, columns] = panel.kind === "matrix" ? [panel.geo.rows, panel.geo.columns] : [1, (panel.x ?? panel.values).length];
    const moves = {
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      Home: [row, 0], End: [row, columns - 1],
    };
    const moved = moves[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moved) this.point([index, clamp(moved[0], 0, rows - 1), clamp(moved[1], 0, columns - 1)], true);
    else if ((event.key === "Enter" || event.key === " ") && panel.kind === "matrix") this.choose([index, row, column]);
    else if (event.key === "Escape" && (this.cell || this.pointed)) {
      if (this.cell) this.choose(this.cell);
      this.leave();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- light: one row and one column, in every panel that has them ----

  axes(panel) {
    if (panel.kind === "matrix") return { row: panel.rows, column: panel.columns };
    return panel.kind === "bars" && panel.labels.labels.length ? { column: panel.labels } : {};
  }

  light(cell) {
    const before = this.lit;
    this.lit = null;
    if (cell) {
      const axes = this.axes(this.panels[cell[0]]);
      const mark = (axis, at) => axis && at !== null && { axis, id: identities(axis.labels)[at] };
      this.lit = { marks: [mark(axes.row, cell[1]), mark(axes.column, cell[2])].filter(Boolean), cell, own: true };
    }
    this.send(before, this.lit);
    this.paint();
  }

  // Which row and column of a panel are lit: by position in the panel that is pointed at, by token elsewhere.
  litOn(panel) {
    const out = { row: null, column: null };
    if (!this.lit) return out;
    if (this.lit.cell?.[0] === panel.index) return { row: panel.kind === "matrix" ? this.lit.cell[1] : null, column: this.lit.cell[2] };
    const axes = this.axes(panel);
    for (const { axis, id } of this.lit.marks) {
      for (const [side, other] of Object.entries(axes)) {
        if (!sameAxis(axis, other)) continue;
        const at = identities(other.labels).indexOf(id);
        if (at >= 0) out[side] = at;
      }
    }
    return out;
  }

  // The axis whose positions the members of the group count: other panels may show the same tokens in another order.
  leading(role) {
    const panel = this.panels[this.data.leads];
    return (panel && Object.values(this.axes(panel)).find((axis) => axis.role === role)) ?? null;
  }

  send(before, after) {
    if (!this.data.group) return;
    for (const role of ["query", "key"]) {
      const index = (lit) => {
        const found = lit?.own && lit.marks.find((mark) => mark.axis.role === role);
        const axis = found && this.leading(role);
        const at = axis ? identities(axis.labels).indexOf(found.id) : -1;
        return at < 0 ? null : at;
      };
      if (index(before) === index(after)) continue;
      this.sending = true;
      document.dispatchEvent(new CustomEvent(LIGHT, { detail: { group: this.data.group, role, index: index(after) } }));
      this.sending = false;
    }
  }

  hear(detail) {
    if (this.sending || !detail || !this.data?.group || detail.group !== this.data.group) return;
    const axis = this.leading(detail.role);
    if (!axis) return;
    const others = this.lit && !this.lit.own ? this.lit.marks.filter((mark) => mark.axis.role !== detail.role) : [];
    const id = Number.isInteger(detail.index) ? identities(axis.labels)[detail.index] : undefined;
    const marks = id === undefined ? others : [...others, { axis, id }];
    this.lit = marks.length ? { marks, own: false } : null;
    this.paint();
  }

  // ---- the number under the pointer ----

  words([index, row, column]) {
    const panel = this.panels[index];
    const part = (axis, at) => axis.labels.length && at !== null ? [{ text: axis.title, quiet: true }, { text: axis.labels[at], role: axis.role }] : [];
    const unit = panel.unit ? ` ${panel.unit}` : "";
    if (panel.kind === "lines") {
      const all = panel.series.map((s) => [{ text: s.name, quiet: true, line: true }, { text: formatNumber(s.values[column]), value: true }]);
      return [{ text: panel.x_title, quiet: true }, { text: formatNumber(panel.x[column]) }, ...all.flat()];
    }
    if (panel.kind === "bars") {
      const range = panel.edges ? `${formatNumber(panel.edges[column])} to ${formatNumber(panel.edges[column + 1])}` : null;
      const where = range ? [{ text: panel.labels.title, quiet: true }, { text: range }] : part(panel.labels, column);
      return [...where, { text: panel.quantity, quiet: true, line: true }, { text: formatNumber(panel.values[column]) + unit, value: true }];
    }
    const where = [...part(panel.rows, row), ...part(panel.columns, column)];
    if (row === null || column === null) return where;
    const i = row * panel.columns.labels.length + column;
    if (panel.hidden?.[i]) return [...where, { text: "hidden by the mask", quiet: true, line: true }];
    return [...where, { text: panel.quantity, quiet: true, line: true }, { text: formatNumber(panel.values[i]) + unit, value: true }];
  }

  readOut() {
    const [index, row, column] = this.pointed;
    const panel = this.panels[index];
    this.tip.replaceChildren();
    let line = element("div", "", this.tip);
    for (const word of this.words(this.pointed)) {
      if (word.line) line = element("div", "", this.tip);
      const said = element("span", word.quiet ? "quiet" : word.value ? "value" : "token", line, word.text);
      if (word.role) said.style.color = this.theme.roles[word.role];
    }
    const { geo, parts, kind } = panel;
    const canvas = parts.canvas.getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    let [x, y, below] = [0, geo.top, geo.top + geo.plotHeight];
    if (kind === "matrix") {
      x = column === null ? geo.left / 2 : geo.left + (column + 0.5) * geo.cw;
      y = row === null ? geo.top - 20 : geo.top + row * geo.ch;
      below = y + geo.ch;
    } else x = kind === "bars" ? geo.left + ((column + 0.5) * geo.plotWidth) / panel.values.length : linesX(panel, geo)(panel.x[column]);
    const [offsetX, offsetY] = [canvas.left - box.left, canvas.top - box.top];
    const wide = this.tip.offsetWidth;
    const tall = this.tip.offsetHeight;
    const above = kind !== "matrix" || row === null || y - tall - 9 > geo.top - 8; // and never over the column labels
    this.tip.style.left = `${clamp(offsetX + x - wide / 2, 0, Math.max(0, this.width - wide))}px`;
    this.tip.style.top = `${offsetY + (above ? y - tall - 9 : below + 9)}px`;
    this.tip.classList.add("shown");
    this.mark(panel, row, column);
  }

  mark(panel, row, column) {
    for (const other of this.panels) if (other.parts.marker) other.parts.marker.style.opacity = 0;
    if (panel.kind !== "matrix" || row === null || column === null) return;
    const i = row * panel.columns.labels.length + column;
    if (panel.hidden?.[i] || !Number.isFinite(panel.fractions[i])) return;
    panel.parts.marker.style.left = `${100 * clamp(panel.fractions[i], 0, 1)}%`;
    panel.parts.marker.style.opacity = 1;
  }

  // ---- the same numbers as text ----

  buildTables(again = false) {
    if (this.tables && !again) return;
    this.tables = true;
    this.reading.replaceChildren(...this.panels.map((panel) => readingTable(panel)));
  }
}

const geoLabels = (geo) => (geo.slanted ? geo.top - 20 : 20);
const sameAxis = (one, other) => one.role === other.role && (one.role !== null || one.title === other.title);

function barAt(panel, x) {
  const at = Math.floor((x / panel.geo.plotWidth) * panel.values.length);
  return at >= 0 && at < panel.values.length ? at : null;
}

function nearestX(panel, x) {
  const at = linesX(panel, panel.geo);
  let best = null;
  panel.x.forEach((v, i) => (best === null || Math.abs(at(v) - x) < Math.abs(at(panel.x[best]) - x)) && (best = i));
  return best;
}
