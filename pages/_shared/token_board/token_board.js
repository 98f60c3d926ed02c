const ICONS = {
  Shuffle: "M2 4h2.6l6 8H14M2 12h2.6l1.6-2.2M9 6.1 10.6 4H14M12 2l2 2-2 2M12 10l2 2-2 2",
  Reverse: "M2 5h11M10.5 2.5 13 5l-2.5 2.5M14 11H3M5.5 8.5 3 11l2.5 2.5",
  Rotate: "M12.8 5.5A5.5 5.5 0 1 0 13.5 8M13.5 2.5v3.2h-3.2",
  Swap: "M3 6.5a5 4 0 0 1 10 0M11 5l2 2 2-2M13 9.5a5 4 0 0 1-10 0",
  Restore: "M3 8a5 5 0 1 0 1.6-3.7L2.5 6.2M2.5 2.8v3.4h3.4",
}
const HINT = "Drag, or Space and the arrow keys."
const HELP =
  "Space grabs a chip, the arrow keys move it, Space or Enter drops it, Escape puts it back. " +
  "Alt with an arrow key moves it at once."
const EDIT_HINT = " Double-click edits."
const EDIT_HELP = " Enter edits the token, Delete removes it."
const MOUSE_SLACK = 4
const TOUCH_SLACK = 8
// The server refuses these too: controls, lone surrogates, line separators and overrides of the writing direction.
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

const boards = new WeakMap()

export default function ({ data, parentElement, setStateValue }) {
  let board = boards.get(parentElement)
  if (!board) boards.set(parentElement, (board = new Board(parentElement)))
  const run = board.update(data, setStateValue)
  return () => {
    // Two runs in quick succession: the cleanup of the first arrives while the second one's board stands.
    if (board.run !== run) return
    boards.delete(parentElement)
    board.destroy()
  }
}

const make = (tag, props = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (name in element) element[name] = value
    else element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

const icon = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  svg.setAttribute("viewBox", "0 0 16 16")
  svg.setAttribute("aria-hidden", "true")
  svg.append(document.createElementNS(svg.namespaceURI, "path"))
  svg.firstChild.setAttribute("d", path)
  return svg
}

const same = (a, b) => a.length === b.length && a.every((value, at) => value === b[at])
const identity = (length) => Array.from({ length }, (_, index) => index)
const characters = (tokens) => tokens.reduce((sum, token) => sum + [...token].length, 0)
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches

// An order is never handed back as it was, nor as the original one: a shuffle that does nothing looks broken.
const shuffled = (order) => {
  const next = order.slice()
  do {
    for (let at = next.length - 1; at > 0; at--) {
      const other = Math.floor(Math.random() * (at + 1))
      ;[next[at], next[other]] = [next[other], next[at]]
    }
  } while (same(next, identity(next.length)) || (next.length > 2 && same(next, order)))
  return next
}

class Board {
  constructor(parent) {
    this.tokens = []
    this.order = []
    this.slots = [] // by original index, as tokens are
    this.recent = [] // the chips that last had focus, newest first
    this.lit = { query: null, key: null }
    this.pointed = null
    this.run = this.sent = this.answered = 0
    this.gone = new AbortController()

    this.title = make("span", { className: "title" })
    this.tools = make("div", { className: "tools", role: "toolbar" })
    this.list = make("ul", { className: "chips", role: "list" })
    this.words = make("p", { className: "words", role: "status" })
    this.help = make("p", { className: "help", id: "help" })
    this.plus = make(
      "li",
      { className: "slot" },
      make("button", { className: "chip plus", type: "button", tabIndex: -1, "aria-label": "Add a token" }, "+"),
    )
    this.root = make(
      "section",
      { className: "board", role: "group" },
      make("div", { className: "head" }, this.title, this.tools),
      this.list,
      this.words,
      this.help,
    )
    parent.append(this.root)
    this.buildTools()
    this.listen()
  }

  destroy() {
    this.point(null)
    this.gone.abort()
    this.root.remove()
  }

  // ── What the server says ──────────────────────────────────────────────────────────────────────────────────

  update(data, setStateValue) {
    const first = !this.data
    this.run += 1
    this.data = data
    this.setStateValue = setStateValue
    this.dress()
    if (first || data.answered < this.answered) this.sent = data.answered
    this.answered = data.answered
    // An answer to an earlier move than the last one would put the chips back under the hand that moved them.
    if (data.answered >= this.sent) this.show(data)
    return this.run
  }

  show(data) {
    const redress = this.dressed !== `${data.locked} ${data.editable}`
    if (redress || !same(this.tokens, data.tokens) || !same(this.order, data.order)) {
      this.drop(false)
      this.release(false)
      this.closeEditor()
      if (redress) for (const slot of this.slots.splice(0)) slot.remove()
      if (!same(this.tokens, data.tokens)) this.recent = []
      this.dressed = `${data.locked} ${data.editable}`
      this.tokens = data.tokens.slice()
      this.order = data.order.slice()
      this.render({ moving: !redress })
      this.say(HINT + (data.editable ? EDIT_HINT : ""))
    }
    if (data.refused) this.say(data.refused)
    this.words.classList.toggle("refused", data.refused !== "")
  }

  dress() {
    const { role, label, locked, editable, colours } = this.data
    this.root.dataset.role = role
    this.root.classList.toggle("locked", locked)
    this.root.setAttribute("aria-label", label)
    this.title.textContent = label
    this.tools.setAttribute("aria-label", `Reorder: ${label}`)
    this.tools.hidden = locked
    this.plus.hidden = !editable
    this.help.textContent = HELP + (editable ? EDIT_HELP : "")
    const [red, green, blue] = getComputedStyle(this.help).backgroundColor.match(/[\d.]+/g)
    const mode = 0.299 * red + 0.587 * green + 0.114 * blue > 128 ? "light" : "dark"
    for (const [name, colour] of Object.entries(colours[mode])) this.root.style.setProperty(`--${name}`, colour)
  }

  // ── What the server hears: once for each completed move ───────────────────────────────────────────────────

  send(words) {
    this.say(words)
    this.sent += 1
    const move = { order: this.order.slice(), tokens: this.tokens.slice() }
    this.setStateValue("sent", { serial: this.sent, move })
  }

  say(words) {
    this.words.classList.remove("refused")
    this.words.textContent = words
  }

  // Isolated, for a word written from right to left would pull the numbers after it to its other side.
  name(index, token = this.tokens[index]) {
    const letters = [...token]
    return `‘\u2068${letters.length > 24 ? `${letters.slice(0, 23).join("")}…` : token}\u2069’`
  }

  place(index) {
    return this.order.indexOf(index) + 1
  }

  // ── Drawing ───────────────────────────────────────────────────────────────────────────────────────────────

  render({ moving = true, held = null } = {}) {
    const focused = this.focusedSlot()
    const before = moving && !still() ? new Map(this.slots.map((slot) => [slot, slot.getBoundingClientRect()])) : null
    while (this.slots.length > this.tokens.length) this.slots.pop().remove()
    while (this.slots.length < this.tokens.length) this.slots.push(this.buildSlot())
    this.tokens.forEach((_, index) => this.fill(index))
    this.arrange(held ?? focused)
    if (focused && !focused.isConnected) this.chip(this.order[0]).focus({ preventScroll: true })
    this.rove()
    this.paint()
    this.refreshTools()
    if (before) this.flow(before, held)
    this.aim()
  }

  buildSlot() {
    const face = [
      make("span", { className: "text", dir: "auto" }),
      make("span", { className: "number", "aria-hidden": "true" }),
    ]
    if (this.data.locked) return make("li", { className: "slot" }, make("span", { className: "chip" }, ...face))
    const grip = make("span", { className: "grip", "aria-hidden": "true" })
    const props = { className: "chip", type: "button", tabIndex: -1, "aria-describedby": "help" }
    return make("li", { className: "slot" }, make("button", props, grip, ...face))
  }

  fill(index) {
    const slot = this.slots[index]
    const chip = slot.querySelector(".chip")
    const text = chip.querySelector(".text")
    if (text.textContent !== this.tokens[index]) text.textContent = this.tokens[index]
    chip.querySelector(".number").textContent = index + 1
    slot.classList.toggle("displaced", this.place(index) !== index + 1)
    if (this.data.locked) return
    const origin = this.place(index) === index + 1 ? "" : `, originally ${index + 1}`
    chip.setAttribute("aria-label", `${this.tokens[index]}, ${this.place(index)} of ${this.order.length}${origin}`)
  }

  // Everything moves around the chip that is held or focused: taking it out of the document would end the drag and
  // lose the focus.
  arrange(fixed) {
    const wanted = this.order.map((index) => this.slots[index])
    if (this.editor && !this.slots.includes(this.editor.slot)) wanted.push(this.editor.slot)
    wanted.push(this.plus)
    if (same(wanted, [...this.list.children])) return
    const pivot = wanted.indexOf(fixed)
    wanted.forEach((slot, at) => {
      if (at < pivot) this.list.insertBefore(slot, fixed)
      else if (at > pivot) this.list.append(slot)
    })
  }

  flow(before, held) {
    for (const slot of this.slots) {
      if (slot === held) continue
      const from = before.get(slot)
      for (const running of slot.getAnimations()) running.cancel()
      if (!from) {
        slot.animate({ scale: [0.6, 1], opacity: [0, 1] }, { duration: 180, easing: "ease-out" })
        continue
      }
      const to = slot.getBoundingClientRect()
      const [x, y] = [from.left - to.left, from.top - to.top]
      if (Math.abs(x) + Math.abs(y) < 1) continue
      const duration = held ? 160 : Math.min(480, 220 + Math.hypot(x, y) * 0.4)
      slot.animate(
        { transform: [`translate(${x}px, ${y}px)`, "none"] },
        { duration, easing: "cubic-bezier(.2, .9, .25, 1)" },
      )
    }
  }

  // ── Chips: which one has the focus, which ones are lit ────────────────────────────────────────────────────

  chip(index) {
    return this.slots[index].querySelector(".chip")
  }

  focusedSlot() {
    return this.root.getRootNode().activeElement?.closest?.(".slot") ?? null
  }

  indexOf(target) {
    const slot = target.closest?.(".slot")
    const index = this.slots.indexOf(slot)
    return index < 0 ? null : index
  }

  // One stop for the Tab key: the chip that last had the focus, else the first.
  rove() {
    if (this.data.locked) return
    const focused = this.focusedSlot()
    const slots = [...this.list.children].filter((slot) => !slot.hidden)
    const stop = slots.includes(focused) ? focused : (this.slots[this.recent[0]] ?? slots[0])
    for (const slot of slots) {
      const chip = slot.querySelector(".chip")
      if (chip) chip.tabIndex = slot === stop ? 0 : -1
    }
  }

  // Tells the pictures which row or column to light; the board hears its own event and lights its chip.
  point(position) {
    if (position === this.pointed) return
    this.pointed = position
    const { role, group } = this.data
    for (const one of role === "both" ? ["query", "key"] : [role]) {
      const detail = { group, role: one, index: position }
      document.dispatchEvent(new CustomEvent("attention:hover", { detail }))
    }
  }

  aim() {
    if (this.drag || this.grab) return this.point(null)
    const under = this.list.querySelector(".slot:hover")
    const focused = this.focusedSlot()
    const index = this.slots.indexOf(under && this.slots.includes(under) ? under : focused)
    return this.point(index < 0 ? null : this.order.indexOf(index))
  }

  paint() {
    this.slots.forEach((slot, index) => {
      const position = this.order.indexOf(index)
      slot.classList.toggle("lit-query", this.lit.query === position)
      slot.classList.toggle("lit-key", this.lit.key === position)
    })
  }

  listen() {
    const { signal } = this.gone
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal })
    on(this.list, "pointerdown", (event) => this.press(event))
    on(this.list, "pointerover", () => this.aim())
    on(this.list, "pointerleave", () => this.aim())
    on(this.list, "focusin", (event) => this.focused(event))
    on(this.list, "focusout", () => this.aim())
    on(this.list, "focusout", () => this.release(false))
    on(this.list, "dblclick", (event) => this.edit(this.indexOf(event.target)))
    on(this.list, "keydown", (event) => this.key(event))
    on(this.plus, "click", () => this.add())
    on(this.tools, "keydown", (event) => this.toolKey(event))
    on(document, "attention:hover", ({ detail }) => {
      const { group, role, index } = detail ?? {}
      const mine = this.data.role === "both" ? ["query", "key"] : [this.data.role]
      if (group !== this.data.group || !mine.includes(role)) return
      this.lit[role] = index
      this.paint()
    })
  }

  focused(event) {
    const index = this.indexOf(event.target)
    if (index !== null) this.recent = [index, ...this.recent.filter((other) => other !== index)].slice(0, 2)
    this.rove()
    this.refreshTools()
    this.aim()
  }

  // ── Drag, by mouse, pen and finger ────────────────────────────────────────────────────────────────────────

  press(event) {
    const index = this.indexOf(event.target)
    if (index === null || this.data.locked || this.drag || event.button !== 0 || !event.target.closest(".chip")) return
    const pressed = new AbortController()
    const slack = event.pointerType === "mouse" ? MOUSE_SLACK : TOUCH_SLACK
    const on = (type, handler) => addEventListener(type, handler, { signal: pressed.signal, capture: true })
    on("pointermove", (move) => {
      if (move.pointerId !== event.pointerId) return
      const far = Math.hypot(move.clientX - event.clientX, move.clientY - event.clientY) > slack
      if (!this.drag && far) this.lift(index, event, pressed)
      if (this.drag) this.follow(move)
    })
    for (const [type, kept] of [["pointerup", true], ["pointercancel", false]]) {
      on(type, (end) => {
        if (end.pointerId !== event.pointerId) return
        pressed.abort()
        this.drop(kept)
      })
    }
    on("keydown", (key) => {
      if (!this.drag || key.key !== "Escape") return
      key.stopPropagation()
      this.drop(false)
    })
    this.gone.signal.addEventListener("abort", () => pressed.abort(), { once: true })
  }

  lift(index, event, pressed) {
    this.closeEditor()
    this.release(false)
    const slot = this.slots[index]
    for (const running of slot.getAnimations()) running.finish()
    const box = slot.getBoundingClientRect()
    this.drag = { index, slot, pressed, home: this.order.slice(), x: event.clientX - box.left, y: event.clientY - box.top }
    // Capturing only now keeps a click a click on the chip; captured, the drag goes on outside the window.
    this.list.setPointerCapture(event.pointerId)
    slot.classList.add("lifted")
    this.list.classList.add("dragging")
    this.aim()
  }

  follow({ clientX, clientY }) {
    const { index, slot, x, y } = this.drag
    const box = this.list.getBoundingClientRect()
    const at = this.slotAt(clientX - box.left, clientY - box.top)
    const others = this.order.filter((other) => other !== index)
    const next = [...others.slice(0, at), index, ...others.slice(at)]
    if (!same(next, this.order)) {
      this.order = next
      this.render({ held: slot })
    }
    const [left, top] = [clientX - box.left - x - slot.offsetLeft, clientY - box.top - y - slot.offsetTop]
    slot.querySelector(".chip").style.transform = `translate(${left}px, ${top}px)`
  }

  // The number of other chips before the pointer. A neighbour gives way before its middle is reached, but never so
  // early that it would have to give way again once it has moved. Offsets ignore the animation under way.
  slotAt(x, y) {
    const held = this.drag.slot
    const tops = [...new Set(this.slots.map((slot) => slot.offsetTop))].sort((a, b) => a - b)
    const row = tops.findLast((top) => y >= top - 4) ?? tops[0]
    const from = this.place(this.drag.index) - 1
    let before = 0
    this.order.forEach((index, position) => {
      const slot = this.slots[index]
      if (slot === held) return
      const lead = Math.min(0.25, (0.45 * held.offsetWidth) / slot.offsetWidth / 2)
      const edge = slot.offsetLeft + slot.offsetWidth * (position < from ? 0.5 + lead : 0.5 - lead)
      if (slot.offsetTop < row || (slot.offsetTop === row && edge < x)) before += 1
    })
    return before
  }

  drop(kept) {
    if (!this.drag) return
    const { index, slot, pressed, home } = this.drag
    pressed.abort()
    this.drag = null
    const chip = slot.querySelector(".chip")
    const from = chip.getBoundingClientRect()
    slot.classList.remove("lifted")
    this.list.classList.remove("dragging")
    chip.style.transform = ""
    if (!kept) this.order = home
    this.render({ held: slot })
    const to = chip.getBoundingClientRect()
    if (!still()) {
      const away = `translate(${from.left - to.left}px, ${from.top - to.top}px)`
      chip.animate({ transform: [away, "none"] }, { duration: 200, easing: "cubic-bezier(.2, .9, .25, 1)" })
    }
    chip.focus({ preventScroll: true })
    this.aim()
    if (kept && !same(home, this.order)) this.send(this.moved(index, home))
  }

  moved(index, home) {
    return `moved ${this.name(index)} from ${home.indexOf(index) + 1} to ${this.place(index)} of ${home.length}`
  }

  // ── Keys ──────────────────────────────────────────────────────────────────────────────────────────────────

  key(event) {
    if (event.target.closest(".editor") || this.drag) return
    const index = this.indexOf(event.target)
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key]
    if (!this.act(event, index, step)) return
    event.preventDefault()
    event.stopPropagation()
  }

  // Returns whether the key was one of the board's; all others stay the page's.
  act(event, index, step) {
    if (event.ctrlKey || event.metaKey) return false
    if (index !== null && step && (this.grab || event.altKey)) this.shift(index, step)
    else if (step && !event.altKey) this.walk(step)
    else if (index === null || event.altKey) return false
    else if (event.key === " ") this.grab ? this.release(true) : this.seize(index)
    else if (event.key === "Enter" && this.grab) this.release(true)
    else if (event.key === "Escape" && this.grab) this.release(false)
    else if (this.grab || !this.data.editable) return false
    else if (event.key === "Enter" || event.key === "F2") this.edit(index)
    else if (event.key === "Delete" || event.key === "Backspace") this.remove(index)
    else return false
    return true
  }

  walk(step) {
    const chips = [...this.list.querySelectorAll(".slot:not([hidden]) > .chip")]
    const from = chips.indexOf(this.focusedSlot()?.querySelector(".chip"))
    chips[Math.max(0, Math.min(chips.length - 1, from + step))].focus()
  }

  shift(index, step) {
    const home = this.order.slice()
    const from = home.indexOf(index)
    const to = Math.max(0, Math.min(home.length - 1, from + step))
    if (to === from) return
    this.order.splice(to, 0, ...this.order.splice(from, 1))
    this.render()
    if (this.grab) this.say(`${this.name(index)}, ${to + 1} of ${home.length}`)
    else this.send(this.moved(index, home))
  }

  seize(index) {
    this.grab = { index, home: this.order.slice() }
    this.slots[index].classList.add("grabbed")
    this.aim()
    this.say(`grabbed ${this.name(index)}, ${this.place(index)} of ${this.order.length}: arrows move, Space drops`)
  }

  release(kept) {
    if (!this.grab) return
    const { index, home } = this.grab
    this.grab = null
    this.slots[index].classList.remove("grabbed")
    const moved = !same(home, this.order)
    if (!kept) {
      this.order = home
      this.render()
    }
    this.aim()
    if (kept && moved) this.send(this.moved(index, home))
    else this.say(`${this.name(index)} stays at ${this.place(index)} of ${home.length}`)
  }

  // ── Tokens: edit, add, remove ─────────────────────────────────────────────────────────────────────────────

  edit(index) {
    if (index === null || !this.data.editable || this.editor) return
    const cross = make("button", { className: "remove", type: "button", "aria-label": `Remove ${this.name(index)}` }, "×")
    // A blur would write the token and take the button away before its click arrives.
    cross.onpointerdown = (event) => event.preventDefault()
    cross.onclick = () => {
      this.closeEditor()
      this.remove(index)
    }
    this.openEditor(this.slots[index], index, this.tokens[index], `Token ${this.place(index)}`, cross)
  }

  add() {
    if (this.editor) return
    if (this.tokens.length >= this.data.most.tokens) {
      this.say(`${this.data.most.tokens} tokens at most`)
      return
    }
    const slot = make("li", { className: "slot" })
    this.list.insertBefore(slot, this.plus)
    this.openEditor(slot, null, "", "New token")
  }

  openEditor(slot, index, value, label, ...more) {
    const input = make("input", { value, dir: "auto", "aria-label": label, autocomplete: "off", spellcheck: false })
    const box = make("span", { className: "editor" }, input, ...more)
    this.editor = { slot, index, input, box }
    slot.classList.add("editing")
    slot.append(box)
    const fit = () => (input.size = Math.max(4, Math.min(24, input.value.length + 1)))
    fit()
    input.oninput = fit
    box.onkeydown = (event) => {
      event.stopPropagation()
      if (event.isComposing || event.target !== input) return
      if (event.key === "Enter") this.write(true)
      else if (event.key === "Escape") this.closeEditor(true)
    }
    box.addEventListener("focusout", (event) => {
      if (!box.contains(event.relatedTarget)) this.write(false)
    })
    input.focus()
    input.select()
  }

  // Takes the editor away; true gives the focus back to the chip.
  closeEditor(refocus = false) {
    if (!this.editor) return
    const { slot, index, box } = this.editor
    this.editor = null
    slot.classList.remove("editing")
    box.remove()
    if (index === null) slot.remove()
    if (refocus) (index === null ? this.plus.firstChild : this.chip(index)).focus()
  }

  write(byEnter) {
    if (!this.editor) return
    const { index, input } = this.editor
    const text = input.value.replace(CONTROLS, "").trim()
    const at = index ?? this.tokens.length
    const tokens = this.tokens.slice()
    tokens[at] = text
    const excess = characters(tokens) - this.data.most.characters
    if (excess > 0) {
      this.say(`${this.data.most.characters} characters at most, together: ${excess} too many`)
      input.setAttribute("aria-invalid", "true")
      if (!byEnter) this.closeEditor()
      return
    }
    this.closeEditor(byEnter)
    if (text === "") {
      if (index !== null) this.say(`a token needs at least one character: ${this.name(index)} stays`)
      return
    }
    if (text === this.tokens[at]) return
    const old = this.tokens[at]
    this.tokens = tokens
    if (index === null) this.order.push(at)
    this.render()
    if (byEnter) this.chip(at).focus()
    this.send(index === null ? `added ${this.name(at)}, ${at + 1} of ${at + 1}` : `${this.name(at, old)} is now ${this.name(at)}`)
  }

  remove(index) {
    if (this.tokens.length === 1) {
      this.chip(index).focus()
      this.say("one token has to stay")
      return
    }
    const words = `removed ${this.name(index)}, ${this.tokens.length - 1} left`
    const position = this.order.indexOf(index)
    this.tokens.splice(index, 1)
    this.slots.splice(index, 1)[0].remove()
    this.order = this.order.filter((other) => other !== index).map((other) => other - (other > index))
    this.recent = []
    this.render()
    this.chip(this.order[Math.min(position, this.order.length - 1)]).focus()
    this.send(words)
  }

  // ── Toolbar ───────────────────────────────────────────────────────────────────────────────────────────────

  buildTools() {
    const change = {
      Shuffle: shuffled,
      Reverse: (order) => order.toReversed(),
      Rotate: ([first, ...rest]) => [...rest, first],
      Swap: (order) => this.swapped(order),
      Restore: (order) => identity(order.length),
    }
    const done = { Shuffle: "shuffled", Reverse: "reversed", Rotate: "rotated", Swap: "swapped", Restore: "restored" }
    this.buttons = Object.entries(change).map(([name, next]) => {
      const text = make("span", { className: "tool-name" }, name)
      const button = make("button", { className: "tool", type: "button", name, tabIndex: -1 }, icon(ICONS[name]), text)
      button.onclick = () => {
        if (button.getAttribute("aria-disabled") === "false") this.reorder(next(this.order), done[name])
      }
      return button
    })
    this.buttons[0].tabIndex = 0
    this.tools.append(...this.buttons)
    const swap = this.buttons[3]
    for (const [type, on] of Object.entries({ pointerenter: true, pointerleave: false, focus: true, blur: false })) {
      swap.addEventListener(type, () => this.root.classList.toggle("pairing", on))
    }
  }

  reorder(next, done) {
    if (same(next, this.order)) return
    this.release(false)
    this.order = next
    this.render()
    const words = next.length <= 12 ? next.map((index) => this.name(index)).join(" ") : `${next.length} tokens`
    this.send(`${done}: ${words}`)
  }

  pair() {
    return this.recent.length === 2 ? this.recent : this.order.slice(0, 2)
  }

  swapped(order) {
    const [one, other] = this.pair()
    return order.map((index) => (index === one ? other : index === other ? one : index))
  }

  // A button that does nothing keeps the focus it has: aria-disabled, not disabled.
  refreshTools() {
    const alone = this.order.length < 2
    const inPlace = same(this.order, identity(this.order.length))
    for (const button of this.buttons) {
      button.setAttribute("aria-disabled", alone || (button.name === "Restore" && inPlace))
    }
    const pair = alone ? [] : this.pair()
    this.slots.forEach((slot, index) => slot.classList.toggle("pair", pair.includes(index)))
    this.buttons[3].title = alone ? "" : `Swap ${pair.map((index) => this.name(index)).join(" and ")}`
    this.plus.firstChild.setAttribute("aria-disabled", this.tokens.length >= this.data.most.tokens)
    for (const slot of this.slots) {
      const text = slot.querySelector(".text")
      text.title = text.scrollWidth > text.clientWidth ? text.textContent : ""
    }
  }

  toolKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    const from = this.buttons.indexOf(event.target)
    const next = this.buttons[(from + step + this.buttons.length) % this.buttons.length]
    for (const button of this.buttons) button.tabIndex = button === next ? 0 : -1
    next.focus()
  }
}
