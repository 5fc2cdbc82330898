// What the browser does with figures by itself. Loaded as a file, after Bokeh and before the page is drawn; the models
// have their other half in figures.py.
{
  const { Bokeh } = window
  // Bokeh lists no classes that only others are made from.
  const parentOf = (name) => Object.getPrototypeOf(Bokeh.Models.get(name))
  const TickFormatter = parentOf("BasicTickFormatter")
  const Callback = parentOf("SetValue")
  const tell = (name, detail) => window.dispatchEvent(new CustomEvent(name, { detail }))

  const clock = (time, decimals) => {
    const s = Math.abs(time)
    const minutes = Math.floor((s + 1e-6) / 60)
    const seconds = (s - 60 * minutes).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0")
    return `${time < 0 ? "-" : ""}${minutes}:${seconds}`
  }

  class ClockTickFormatter extends TickFormatter {
    doFormat(ticks) {
      const tenths = ticks.length > 1 && ticks[1] - ticks[0] < 1
      return ticks.map((tick) => clock(tick, tenths ? 1 : 0))
    }
  }

  class SeekTo extends Callback {
    execute(event) {
      tell("workbench-seek", event.x)
    }
  }

  class LoopOver extends Callback {
    execute(event) {
      if (!event.final || event.geometry.type !== "rect") return
      const { x0, x1 } = event.geometry
      if (Math.abs(x1 - x0) > 0.05) tell("workbench-region", [Math.max(0, Math.min(x0, x1)), Math.max(x0, x1)])
    }
  }

  class ShowAll extends Callback {
    static {
      this.define(({ Ref }) => ({ range: [Ref(Bokeh.Models.get("Range1d"))] }))
    }
    execute() {
      const [start, end] = this.range.bounds
      this.range.setv({ start, end })
    }
  }

  // As a tool of Bokeh's names what it does.
  const [SCROLL, PAN_START, PAN, PAN_END] = ["_scroll", "_pan_start", "_pan", "_pan_end"]
  const WheelZoomTool = Bokeh.Models.get("WheelZoomTool")
  const LEAST_S = 0.5 // that a view shows

  // Zooms by the wheel with Ctrl or Alt, by a pinch, and when the page asks for it: for keys and buttons.
  class ClockZoomToolView extends WheelZoomTool.prototype.default_view {
    connect_signals() {
      super.connect_signals()
      // Bokeh takes a pointer that rests for 300 ms before it moves for one that presses, and drags no more; nothing here
      // is done by pressing long.
      this.plot_view.canvas_view.ui_event_bus.ui_gestures.constructor.press_threshold = 2 ** 31 - 1
      this.listening = new AbortController()
      window.addEventListener("workbench-zoom", (event) => this.zoom_clock(event.detail), {
        signal: this.listening.signal,
      })
    }
    remove() {
      this.listening.abort()
      super.remove()
    }
    /** The wheel alone is the page's, which scrolls. */
    [SCROLL](event) {
      return (event.modifiers.ctrl || event.modifiers.alt) && super[SCROLL](event)
    }
    /** Zoom by a factor at a time, or in the middle where that is not in view; 0 shows all. Bokeh's own for the wheel is
     * called `zoom`. */
    zoom_clock({ by, at, done }) {
      const { x_range } = this.plot_view.model
      const { start, end, bounds } = x_range
      if (!Array.isArray(bounds) || done.has(x_range) || !this.plot_view.el.checkVisibility()) return
      done.add(x_range) // figures over one another have one range
      const [low, high] = bounds
      if (by === 0) return void x_range.setv({ start: low, end: high })
      const centre = start <= at && at <= end && at !== null ? at : (start + end) / 2
      const span = Math.min(high - low, Math.max(LEAST_S, (end - start) / by))
      const first = Math.min(Math.max(low, centre - ((centre - start) * span) / (end - start)), high - span)
      x_range.setv({ start: first, end: first + span })
    }
  }

  class ClockZoomTool extends WheelZoomTool {
    static {
      this.prototype.default_view = ClockZoomToolView
    }
  }

  const BoxSelectTool = Bokeh.Models.get("BoxSelectTool")
  const draw = (source, data) => source.setv({ data }, { sync: false })
  const REACH = { mouse: 8, pen: 9, touch: 16 } // px to either side of a line or a point, at most
  const STILL = { mouse: 3, pen: 4, touch: 8 } // px: less is a click, which is Bokeh's

  // Something on a figure that is taken hold of, dragged and let go of, with a mouse, a pen or a finger. The pointer is
  // followed here and not by Bokeh's gestures: however long it rests, it drags; Escape gives up. A drag that begins
  // beside what can be held is the base's.
  class GripView extends BoxSelectTool.prototype.default_view {
    held = null
    form = "ew-resize" // of the pointer over what can be held; null: as it is

    // What a tool of this kind says: what is held by a press at a place, null for nothing; what it does when a drag
    // begins, goes on (with the event), ends where the pointer is, or is given up.
    grip_at() {
      return null
    }
    begin() {}
    follow() {}
    drop() {}
    give_up() {}

    get events_el() {
      return this.plot_view.canvas_view.events_el
    }
    get gestures() {
      return this.plot_view.canvas_view.ui_event_bus.ui_gestures
    }
    connect_signals() {
      super.connect_signals()
      const { el } = this.plot_view.canvas_view
      this.listening = new AbortController()
      const listen = (name, act, capture = true) =>
        el.addEventListener(name, (event) => act.call(this, event), { capture, signal: this.listening.signal })
      listen("pointerdown", this.press)
      listen("pointermove", this.drag)
      listen("pointermove", this.point, false) // after Bokeh, which sets the pointer's form too
      listen("pointerup", this.release)
      listen("pointercancel", this.lose)
      listen("lostpointercapture", this.lose)
      listen("contextmenu", (event) => this.held !== null && event.preventDefault()) // of a finger that rests
    }
    remove() {
      this.cancel()
      this.listening.abort()
      super.remove()
    }
    /** Where the pointer is on the figure; null outside of its frame. */
    place_of(event) {
      const { left, top } = this.events_el.getBoundingClientRect()
      const at = { sx: event.clientX - left, sy: event.clientY - top, pointer: event.pointerType }
      return this.plot_view.frame.bbox.contains(at.sx, at.sy) ? at : null
    }
    gripped(event) {
      const place = this.model.active ? this.place_of(event) : null
      return place && this.grip_at(place)
    }
    /** The nearest of some lines that is within reach: index, or null; a reach ends at a share of the way to the next. */
    line_at(lines, { sx, pointer }, share) {
      const { x_scale } = this.plot_view.frame
      const px = lines.map((at) => x_scale.compute(at))
      const order = px
        .map((_, index) => index)
        .toSorted((one, other) => Math.abs(px[one] - sx) - Math.abs(px[other] - sx))
      if (!order.length) return null
      const [nearest, next] = order
      const gap = next === undefined ? Infinity : Math.abs(px[next] - px[nearest])
      return Math.abs(px[nearest] - sx) <= Math.min(REACH[pointer] ?? REACH.mouse, share * gap) ? nearest : null
    }
    /** Seconds that the pointer moved by, as the figure was when it was pressed: the view may turn the page. */
    moved_by({ sx } = this.held.last) {
      return (sx - this.held.sx) * this.held.scale
    }
    press(event) {
      if (this.held !== null) return void event.stopPropagation() // a second finger
      if (!event.isPrimary || event.button !== 0) return
      const grip = this.gripped(event)
      if (grip === null) return
      const { x_scale } = this.plot_view.frame
      const { sx, sy, pointer } = this.place_of(event)
      const scale = x_scale.invert(sx + 1) - x_scale.invert(sx)
      this.held = { ...grip, sx, sy, pointer, scale, pressed: x_scale.invert(sx), id: event.pointerId, drags: false }
      this.events_el.setPointerCapture(event.pointerId)
      this.onKey = (key) => {
        if (key.key !== "Escape") return
        key.stopPropagation()
        this.cancel()
      }
      window.addEventListener("keydown", this.onKey, { capture: true })
    }
    drag(event) {
      const { held } = this
      if (held === null) return
      event.stopPropagation()
      if (event.pointerId !== held.id) return
      const { left, top } = this.events_el.getBoundingClientRect()
      const [sx, sy] = [event.clientX - left, event.clientY - top]
      if (!held.drags) {
        if (Math.hypot(sx - held.sx, sy - held.sy) < (STILL[held.pointer] ?? STILL.mouse)) return
        held.drags = true
        this.gestures.reset() // Bokeh makes neither a click nor a drag of it
        this.events_el.style.userSelect = "none"
        this.begin()
      }
      held.last = { sx, sy }
      this.follow(event)
    }
    point(event) {
      if (this.form === null || (this.held === null && event.buttons)) return
      if (this.held !== null || this.gripped(event) !== null) this.events_el.style.cursor = this.form
    }
    release(event) {
      const { held } = this
      if (held === null || event.pointerId !== held.id) return
      if (!held.drags) return this.let_go()
      event.stopPropagation()
      this.drop()
      this.let_go()
    }
    lose(event) {
      if (event.pointerId === this.held?.id) this.cancel()
    }
    cancel() {
      const { held } = this
      if (held === null) return
      this.gestures.reset()
      if (held.drags) this.give_up()
      this.let_go()
    }
    let_go() {
      const { id } = this.held
      this.held = null
      window.removeEventListener("keydown", this.onKey, { capture: true })
      this.events_el.style.userSelect = ""
      if (this.events_el.hasPointerCapture(id)) this.events_el.releasePointerCapture(id)
    }
  }

  const FLAG_PX = 70 // from the line of a hit to the right that are its flag

  // A seam is taken hold of at its line and let go of at one of its places, a hit at its flag and let go of anywhere; a
  // drag in the lane of the track selects there; every other drag is the base's.
  class SeamToolView extends GripView {
    began = null

    grip_at(place) {
      const { model } = this
      const { x_scale, y_scale } = this.plot_view.frame
      const y = y_scale.invert(place.sy)
      if (y >= model.flag_low) {
        const off = model.hits.map((at) => place.sx - x_scale.compute(at))
        const hit = off.findLastIndex((px) => px > -REACH.mouse && px < FLAG_PX)
        return hit < 0 ? null : { hit, at: model.hits[hit] }
      }
      if (y <= model.track_high || y < model.low || y > model.high) return null
      const seam = this.line_at(model.seams, place, 0.5)
      return seam === null ? null : { seam, at: model.seams[seam] }
    }
    [PAN_START](event) {
      const { frame } = this.plot_view
      const { sx, sy } = event
      if (!frame.bbox.contains(sx, sy)) return
      if (frame.y_scale.invert(sy) <= this.model.track_high) this.began = frame.x_scale.invert(sx)
      else super[PAN_START](event)
    }
    [PAN](event) {
      if (this.began === null) super[PAN](event)
    }
    [PAN_END](event) {
      if (this.began === null) super[PAN_END](event)
      else this.select(event.sx)
      this.began = null
    }
    places() {
      return this.model.places[this.held.seam] ?? []
    }
    begin() {
      const { model, held } = this
      if (held.hit !== undefined) return
      model.chosen = [held.seam, (model.chosen[1] ?? 0) + 1]
      draw(model.marks, {
        x: this.places().map((place) => place.at),
        color: this.places().map((place) => model.colors[place.obstacle ? 1 : 0]),
      })
    }
    follow() {
      const { model, held } = this
      const x = held.at + this.moved_by()
      if (held.hit !== undefined) {
        held.to = Math.round(100 * Math.min(Math.max(0, x), this.plot_view.model.x_range.bounds[1])) / 100
        draw(model.landing, { x: [held.to], text: [`hit at ${clock(held.to, 2)}`] })
        return
      }
      const places = this.places()
      if (!places.length) {
        draw(model.ghost, { x: [x], text: ["listening to the bar lines around it"] })
        return
      }
      const before = held.target
      held.target = places.reduce((best, place) => (Math.abs(place.at - x) < Math.abs(best.at - x) ? place : best))
      if (held.target !== before) this.tell(held.target.bars)
      draw(model.ghost, { x: [held.target.at], text: [held.target.words] })
    }
    tell(bars) {
      this.model.heard = [this.held.seam, bars, (this.model.heard[2] ?? 0) + 1]
    }
    drop() {
      const { model } = this
      const { seam, target, hit, to } = this.held
      this.give_up()
      if (hit !== undefined) model.landed = [hit, to, (model.landed[2] ?? 0) + 1]
      if (target && target.bars && !target.obstacle) model.moved = [seam, target.bars, (model.moved[2] ?? 0) + 1]
    }
    give_up() {
      draw(this.model.landing, { x: [], text: [] })
      if (this.held.hit !== undefined) return
      this.tell(null)
      draw(this.model.marks, { x: [], color: [] })
      draw(this.model.ghost, { x: [], text: [] })
    }
    select(sx) {
      const { model } = this
      const ends = [this.began, this.plot_view.frame.x_scale.invert(sx)].map((x) => Math.max(0, x / model.track_scale))
      if (Math.abs(ends[1] - ends[0]) > 0.05)
        model.stretch = [Math.min(...ends), Math.max(...ends), (model.stretch[2] ?? 0) + 1]
    }
  }

  class SeamTool extends BoxSelectTool {
    static {
      this.prototype.default_view = SeamToolView
      this.define(({ Any, Float, List, Ref }) => ({
        seams: [List(Float), []],
        places: [List(Any), []],
        marks: [Ref(Bokeh.Models.get("ColumnDataSource"))],
        ghost: [Ref(Bokeh.Models.get("ColumnDataSource"))],
        low: [Float, 0],
        high: [Float, 0],
        track_high: [Float, 0],
        track_scale: [Float, 1],
        colors: [List(Any), []],
        chosen: [List(Float), []],
        heard: [List(Any), []],
        moved: [List(Float), []],
        stretch: [List(Float), []],
        hits: [List(Float), []],
        flag_low: [Float, 0],
        landing: [Ref(Bokeh.Models.get("ColumnDataSource"))],
        landed: [List(Float), []],
      }))
    }
  }

  const TELL_MS = 40 // between two moves of a drag that the server is told of

  // What is dragged is for the server to know: every drag on the figure is told, and none selects.
  class PointToolView extends GripView {
    form = null
    told = 0

    grip_at() {
      return {}
    }
    begin() {
      this.tell("press", this.held)
    }
    follow() {
      if (performance.now() - this.told >= TELL_MS) this.tell("move", this.held.last)
    }
    drop() {
      this.tell("release", this.held.last)
    }
    give_up() {
      this.tell("give up", this.held.last)
    }
    tell(phase, { sx, sy }) {
      const { pointer, scale, pressed } = this.held
      const { y_scale } = this.plot_view.frame
      const y = y_scale.invert(sy)
      const px = REACH[pointer] ?? REACH.mouse
      const reach = [px * scale, Math.abs(y_scale.invert(sy - px) - y)]
      this.told = performance.now()
      this.model.gesture = [phase, pressed + this.moved_by({ sx }), y, ...reach, (this.model.gesture[5] ?? 0) + 1]
    }
  }

  class PointTool extends BoxSelectTool {
    static {
      this.prototype.default_view = PointToolView
      this.define(({ Any, List }) => ({ gesture: [List(Any), []] }))
    }
  }

  const BEAT_SHARE = 0.3 // of the way to the next line that is drawn, so that there is room to select between them
  const SNAP_REACH = 16 // px around an onset

  // A beat is moved between its neighbours.
  class BeatToolView extends GripView {
    connect_signals() {
      super.connect_signals()
      this.connect(this.model.properties.taken.change, () => this.held === null && this.clear())
    }
    grip_at(place) {
      const beats = [this.model.beats, this.model.bars].flatMap(({ data: { x, low, high } }, kind) =>
        Array.from(x, (at, i) => ({ kind, at, low: low[i], high: high[i] })),
      )
      const found = this.line_at(
        beats.map((beat) => beat.at),
        place,
        BEAT_SHARE,
      )
      return found === null ? null : beats[found]
    }
    follow(event) {
      const { held } = this
      held.to = Math.min(held.high, Math.max(held.low, held.at + this.moved_by()))
      const snaps = this.model.snaps !== event.shiftKey
      const onset = snaps ? this.onset_near(held) : null
      held.to = onset ?? held.to
      this.show(onset !== null)
    }
    onset_near({ to, low, high, scale }) {
      let nearest = null
      for (const at of this.model.onsets)
        if (at >= low && at <= high && (nearest === null || Math.abs(at - to) < Math.abs(nearest - to))) nearest = at
      return nearest !== null && Math.abs(nearest - to) <= SNAP_REACH * scale ? nearest : null
    }
    show(snapped) {
      const { at, to, kind } = this.held
      const { start, end } = this.plot_view.model.x_range
      const ms = Math.round(1000 * (to - at))
      const by = ms ? `${Math.abs(ms)} ms ${ms > 0 ? "later" : "earlier"}` : "where it was"
      const right = to > start + 0.7 * (end - start)
      draw(this.model.ghost, {
        x: [to],
        text: [[clock(to, 3), by, ...(snapped ? ["on an onset"] : [])].join(" · ")],
        color: [this.model.colors[kind]],
        align: [right ? "right" : "left"],
        offset: [right ? -6 : 6],
      })
    }
    drop() {
      const { at, to } = this.held
      if (Math.round(1000 * (to - at)) === 0) this.clear()
      else this.model.moved = [at, to, (this.model.moved[2] ?? 0) + 1]
    }
    give_up() {
      this.clear()
    }
    clear() {
      draw(this.model.ghost, { x: [], text: [], color: [], align: [], offset: [] })
    }
  }

  class BeatTool extends BoxSelectTool {
    static {
      this.prototype.default_view = BeatToolView
      const Source = Bokeh.Models.get("ColumnDataSource")
      this.define(({ Any, Bool, Float, List, Ref }) => ({
        beats: [Ref(Source)],
        bars: [Ref(Source)],
        ghost: [Ref(Source)],
        colors: [List(Any), []],
        onsets: [List(Float), []],
        snaps: [Bool, false],
        moved: [List(Float), []],
        taken: [Float, 0],
      }))
    }
  }

  for (const model of [ClockTickFormatter, SeekTo, LoopOver, ShowAll, ClockZoomTool, SeamTool, PointTool, BeatTool]) {
    Object.assign(model, { __name__: model.name, __module__: "workbench.dashboards.figures" })
    Bokeh.Models.register(model)
  }
}
