// Runs in every page of the tests before anything else: when the page rests, and what is to be seen on it, in the
// shadows of components too.

window.probe = (() => {
  const figure = () => document.querySelector(".st-key-figure");
  /** Everything below a root. */
  const walk = (root) =>
    [...(root?.querySelectorAll("*") ?? [])].flatMap((one) => [one, ...(one.shadowRoot ? walk(one.shadowRoot) : [])]);

  // ---- what is asked of the server ----

  const [RERUN, FINISHED, FOR_RERUN] = [11, 6, 2]; // fields of BackMsg and ForwardMsg, and an end that is none
  const fields = (data) => {
    const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
    const found = new Map();
    let at = 0;
    const varint = () => {
      for (let value = 0, weight = 1; ; weight *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * weight;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const [tag, value] = [varint(), varint()];
      if (tag % 8 === 2) at += value;
      found.set(tag >> 3, value);
    }
    return found;
  };
  let [asked, answered, runs] = [false, false, 0];
  const watched = (Base) =>
    class extends Base {
      constructor(...given) {
        super(...given);
        asked = answered = false;
        this.addEventListener("message", ({ data }) => {
          const end = data instanceof ArrayBuffer ? fields(data).get(FINISHED) : undefined;
          if (end !== undefined && end !== FOR_RERUN) answered = asked;
        });
      }
      send(message) {
        if (fields(message).has(RERUN)) [asked, answered, runs] = [true, false, runs + 1];
        super.send(message);
      }
    };
  let Socket = watched(WebSocket);
  Object.defineProperty(window, "WebSocket", { get: () => Socket, set: (Base) => (Socket = watched(Base)) });

  // ---- what changes ----

  let changed = true;
  const heard = { change: [], draw: [] };
  const observer = new MutationObserver(() => {
    changed = true;
    for (const hear of heard.change) hear();
  });
  const observe = (root) =>
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  observe(document);
  const roots = [document];
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...given) {
    const root = attach.apply(this, given);
    observe(root);
    roots.push(root);
    return root;
  };

  // Each canvas keeps what it was last told to write: the text, its size, and its corners, in its own pixels.
  const pen = CanvasRenderingContext2D.prototype;
  const corners = (ctx, text, x, y) => {
    const { actualBoundingBoxLeft, actualBoundingBoxRight, actualBoundingBoxAscent, actualBoundingBoxDescent } =
      ctx.measureText(text);
    const [left, right] = [x - actualBoundingBoxLeft, x + actualBoundingBoxRight];
    const [up, down] = [y - actualBoundingBoxAscent, y + actualBoundingBoxDescent];
    const at = ctx.getTransform();
    return [[left, up], [right, up], [right, down], [left, down]]
      .map(([x, y]) => at.transformPoint({ x, y }))
      .map(({ x, y }) => [x, y]);
  };
  const also = {
    clearRect: (ctx) => (ctx.canvas.written = []),
    fillText: (ctx, text, x, y) =>
      ctx.canvas.written?.push({
        text,
        size: parseFloat(ctx.font.match(/[\d.]+px/)[0]),
        corners: corners(ctx, text, x, y),
      }),
  };
  const drawn = new Set();
  const tellDrawn = () => {
    for (const hear of heard.draw) hear(drawn);
    drawn.clear();
  };
  for (const name of ["clearRect", "fillRect", "strokeRect", "fill", "stroke", "fillText", "strokeText", "drawImage",
    "putImageData"]) {
    const draw = pen[name];
    pen[name] = function (...given) {
      changed = true;
      if (heard.draw.length && !drawn.size) queueMicrotask(tellDrawn);
      if (heard.draw.length) drawn.add(this.canvas);
      draw.apply(this, given);
      also[name]?.(this, ...given);
    };
  }

  // A page is settled when the server has finished the run that was asked for last, nothing is a grey bar still (React
  // keeps those for a third of a second), nothing that ends is moving or fading (what opens takes no click where it
  // stood a moment ago), and five frames in a row have changed neither the document, with what components hold in
  // their shadows, nor a canvas.
  const rests = () => {
    const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
    if (!answered || state !== "notRunning" || document.querySelector("[data-testid=stSkeleton]")) return false;
    const moves = (one) => one.playState === "running" && one.effect?.getComputedTiming().endTime < Infinity;
    if (roots.some((root) => root.getAnimations().some(moves))) return false; // a document's are none of its shadows'
    const same = !changed;
    changed = false;
    return same;
  };
  let still = 0;

  // ---- what is to be seen ----

  const at = (x, y) => {
    let one = document.elementFromPoint(x, y);
    while (one?.shadowRoot?.elementFromPoint(x, y)) one = one.shadowRoot.elementFromPoint(x, y);
    return one;
  };
  const within = (one) => one && (one === figure() || within(one.parentElement ?? one.getRootNode().host));
  const STEPS = 16;
  /** Where the panels and what moves them are. */
  const boxes = () =>
    walk(figure())
      .filter((one) => one.matches(".panel, .sweep, .chips") && one.checkVisibility())
      .map((one) => one.getBoundingClientRect());

  const above = (one) => one.parentElement ?? one.getRootNode().host ?? null;
  const chain = (one) => (one ? [one, ...chain(above(one))] : []);
  const opaque = (one) => !/^(transparent|rgba\(.*, 0\))$/.test(getComputedStyle(one).backgroundColor);
  /** What of a box is left in sight by what scrolls around it, or shortens it. */
  const inScroll = (one, { left, top, right, bottom }) => {
    for (const around of chain(one)) {
      const { overflow, textOverflow } = getComputedStyle(around);
      if (!/auto|scroll/.test(overflow) && (textOverflow !== "ellipsis" || overflow === "visible")) continue;
      const room = around.getBoundingClientRect();
      [left, top] = [Math.max(left, room.left), Math.max(top, room.top)];
      [right, bottom] = [Math.min(right, room.right), Math.min(bottom, room.bottom)];
    }
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };
  /** Where the words of an element, or a canvas, are to be seen. */
  const places = (one) => {
    const range = document.createRange();
    const boxes = [...one.childNodes].filter((node) => node.nodeType === 3 && node.data.trim()).flatMap((node) => {
      range.selectNodeContents(node);
      return [...range.getClientRects()];
    });
    const all = one.matches("canvas") ? [one.getBoundingClientRect()] : boxes;
    const seen = all.map((whole) => ({ ...inScroll(one, whole), whole }));
    return seen.filter(({ width, height }) => width > 1 && height > 1);
  };
  const said = (one) => String(one.innerText || one.ariaLabel || one.tagName).trim().slice(0, 60);
  const holds = ({ left, top, right, bottom }, x, y) => x > left && x < right && y > top && y < bottom;
  /** Whether there is something of an element at a point, and not only its room. */
  const drawnAt = (one, x, y) =>
    one.matches("canvas, img, svg, svg *, input, button, textarea") || places(one).some((box) => holds(box, x, y));
  const shown = () => {
    const hidden = new Map([[null, false]]);
    const isHidden = (one) => {
      if (!hidden.has(one))
        hidden.set(one, isHidden(above(one)) || one.clientWidth === 1 || getComputedStyle(one).clipPath !== "none");
      return hidden.get(one);
    };
    return walk(document.body).filter(
      (one) =>
        one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
        !one.closest("style, script, noscript, [aria-hidden=true]:not(canvas), .katex-mathml, .tip") &&
        !isHidden(one),
    );
  };

  return {
    walk,
    get runs() {
      return runs;
    },
    isSettled() {
      still = rests() ? still + 1 : 0;
      if (still < 5) return false;
      still = 0;
      return true;
    },
    /** Call something after each task that has changed the document or a shadow. */
    onChange: (hear) => heard.change.push(hear),
    /** Call something after each task that has drawn, with the canvases. */
    onDraw: (hear) => heard.draw.push(hear),

    focused() {
      let one = document.activeElement;
      while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
      return one;
    },
    canvases: () => walk(figure()).filter((one) => one.matches("canvas")),
    /** Every canvas as its pixels, every Plotly figure as its data; two equal texts are two equal pictures. */
    pictures: () =>
      walk(document).flatMap((one) => [
        ...(one.matches("canvas") ? [one.toDataURL()] : []),
        ...(one.matches(".js-plotly-plot") ? [JSON.stringify(one.data)] : []),
      ]),
    /**
     * The share in sight of the panels' area and of whatever moves them, in percent, by points close to each other:
     * what the window or a container that scrolls cuts off counts as not seen, and so does what something lies on.
     */
    inSight() {
      let [seen, whole] = [0, 0];
      for (const { left, top, width, height } of boxes()) {
        whole += width * height;
        for (let point = 0; point < STEPS ** 2; point++) {
          const [x, y] = [point % STEPS, Math.floor(point / STEPS)].map((step) => (step + 0.5) / STEPS);
          if (within(at(left + x * width, top + y * height))) seen += (width * height) / STEPS ** 2;
        }
      }
      return (100 * seen) / whole;
    },
    /** How much of the window, in percent, the box takes that holds all panels of the picture. */
    share() {
      const all = boxes();
      const [left, top] = ["left", "top"].map((side) => Math.max(0, Math.min(...all.map((one) => one[side]))));
      const right = Math.min(innerWidth, Math.max(...all.map((one) => one.left + one.width)));
      const bottom = Math.min(innerHeight, Math.max(...all.map((one) => one.top + one.height)));
      return (100 * (right - left) * (bottom - top)) / (innerWidth * innerHeight);
    },
    /** The same beside each control of these that is visible, scrolled to as a keyboard would: its words, and the share. */
    inSightBeside(controls) {
      const shares = new Map(); // where nothing has moved, no more and no less is in sight
      return [...document.querySelectorAll(controls)].filter((one) => one.checkVisibility()).map((one) => {
        one.scrollIntoView({ block: "nearest" });
        const where = JSON.stringify(boxes());
        if (!shares.has(where)) shares.set(where, probe.inSight());
        return [one.innerText || one.ariaLabel, shares.get(where)];
      });
    },
    /** What lies on words or on a canvas that can be seen through it: what is below, and what is above. */
    overlaps() {
      const found = [];
      for (const one of shown())
        for (const { left, top, width, bottom, whole } of places(one)) {
          const side = one.matches("canvas") ? 5 : 3;
          for (let point = 0; point < side * side; point++) {
            const [across, down] = [point % side, Math.floor(point / side)].map((step) => (step + 0.5) / side);
            // Of a line at the window's edge not the last pixels alone: its letters do not reach them.
            const [x, y] = [left + across * width, whole.top + down * whole.height];
            const hit = y > top && y < bottom && at(x, y);
            if (!hit || !drawnAt(hit, x, y)) continue;
            if (hit === one || chain(hit).includes(one) || chain(one).includes(hit)) continue;
            const common = chain(one).find((each) => chain(hit).includes(each));
            const between = chain(hit).slice(0, chain(hit).indexOf(common));
            if (between.some(opaque) || getComputedStyle(hit).pointerEvents === "none") continue;
            found.push(`${said(hit)} on ${said(one)}`);
            break;
          }
        }
      return [...new Set(found)];
    },
    /** Words that end where their room ends, and not where they do. */
    clipped() {
      const found = [];
      for (const one of shown().filter((each) => !each.matches("canvas")))
        for (const box of places(one)) {
          for (const around of chain(one)) {
            const { overflowX, overflowY, textOverflow, clipPath } = getComputedStyle(around);
            if (/auto|scroll/.test(overflowX + overflowY) || textOverflow === "ellipsis" || clipPath !== "none") break;
            const room = around.getBoundingClientRect();
            const cut = overflowX !== "visible" && (box.right > room.right + 2 || box.left < room.left - 2);
            if (cut || (overflowY !== "visible" && (box.bottom > room.bottom + 3 || box.top < room.top - 3)))
              found.push(said(one));
          }
        }
      // What a list shows, and what is written beside a switch, ends in no dots and at no edge.
      const chosen = document.querySelectorAll("[data-testid=stSelectbox] input, [data-testid=stCheckbox] p");
      for (const one of chosen)
        if (one.checkVisibility() && one.scrollWidth > one.clientWidth + 1) found.push(one.value ?? one.innerText);
      return [...new Set(found)];
    },
    text: (one) => document.querySelector(one)?.innerText ?? "",
    panels: () => walk(figure()).filter((one) => one.matches(".panel canvas")).length,
    /** What is written in the picture, and how large on the screen: in titles, legends and chips, and by canvases. */
    written() {
      const all = walk(figure()).filter((one) => one.getRootNode() !== document && one.checkVisibility());
      const own = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      const said = all.filter((one) => own(one) && !one.closest(".unseen, .tip, style, .help"));
      const drawn = all.filter((one) => one.matches("canvas")).map((canvas) => {
        const box = canvas.getBoundingClientRect();
        const [scale, zoom] = [box.width / canvas.width, canvas.currentCSSZoom ?? 1];
        return canvas.written.map(({ text, size, corners }) => ({
          text, size: size * zoom, corners: corners.map(([x, y]) => [x * scale, y * scale]),
          width: box.width, height: box.height,
        }));
      });
      const size = (one) => parseFloat(getComputedStyle(one).fontSize) * (one.currentCSSZoom ?? 1);
      return { said: said.map((one) => ({ text: one.textContent, size: size(one) })), drawn };
    },
    /** Of matrices of up to so many rows and columns the smaller side of their cells on the screen. */
    cells: (most) =>
      walk(figure())
        .filter((one) => one.dataset.cell && Number(one.dataset.across) <= most)
        .map((one) => Number(one.dataset.cell)),
    /** How high the charts are, from top to bottom. */
    charts: () =>
      walk(figure()).filter((one) => one.matches(".plot") && !one.dataset.cell).map((one) => one.clientHeight),
    /** What a finger has to hit, with its width and height: answers, presets, tokens, tools, help, tabs, links. */
    targets() {
      const kinds = "button, summary, [data-testid=stTab], [data-testid=stPageLink-NavLink]";
      const all = walk(document.querySelector("[data-testid=stMain]"));
      return all.filter((one) => one.matches(kinds) && one.checkVisibility()).map((one) => {
        const { width, height } = one.getBoundingClientRect();
        return [one.innerText || one.ariaLabel, width, height];
      });
    },
  };
})();
