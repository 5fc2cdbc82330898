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
      this.define(({ Float, Ref }) => ({
        range: [Ref(Bokeh.Models.get("Range1d"))],
        margin: [Float, 0],
      }))
    }
    execute() {
      const [start, end] = this.range.bounds
      this.range.setv({ start: start + this.margin, end: end - this.margin })
    }
  }

  const BoxSelectTool = Bokeh.Models.get("BoxSelectTool")
  const [PAN_START, PAN, PAN_END] = ["_pan_start", "_pan", "_pan_end"] // as Bokeh calls what a tool does
  const REACH = 7 // px to either side of a seam's line

  // A seam is taken hold of at its line and let go of at one of its places; a drag in the lane of the track selects
  // there; every other drag is the base's.
  class SeamToolView extends BoxSelectTool.prototype.default_view {
    held = null
    began = null

    seam_at(sx) {
      const { x_scale } = this.plot_view.frame
      const away = this.model.seams.map((at) => Math.abs(x_scale.compute(at) - sx))
      const nearest = away.indexOf(Math.min(...away))
      return nearest >= 0 && away[nearest] <= REACH ? nearest : null
    }
    [PAN_START](event) {
      const { frame } = this.plot_view
      const { sx, sy } = event
      if (!frame.bbox.contains(sx, sy)) return
      const y = frame.y_scale.invert(sy)
      if (y <= this.model.track_high) this.began = frame.x_scale.invert(sx)
      else this.held = y >= this.model.low && y <= this.model.high ? this.seam_at(sx) : null
      if (this.held === null && this.began === null) super[PAN_START](event)
      else if (this.held !== null) this.take()
    }
    [PAN](event) {
      if (this.held !== null) this.show(event.sx)
      else if (this.began === null) super[PAN](event)
    }
    [PAN_END](event) {
      if (this.held !== null) this.let_go()
      else if (this.began !== null) this.select(event.sx)
      else super[PAN_END](event)
      this.held = this.began = null
    }
    take() {
      const { model } = this
      model.chosen = [this.held, (model.chosen[1] ?? 0) + 1]
      const places = model.places[this.held] ?? []
      this.target = null
      draw(model.marks, {
        x: places.map((place) => place.at),
        color: places.map((place) => model.colors[place.obstacle ? 1 : 0]),
      })
    }
    show(sx) {
      const { model } = this
      const x = this.plot_view.frame.x_scale.invert(sx)
      const places = model.places[this.held] ?? []
      if (!places.length) {
        draw(model.ghost, { x: [x], text: ["listening to the bar lines around it"] })
        return
      }
      const before = this.target
      this.target = places.reduce((best, place) => (Math.abs(place.at - x) < Math.abs(best.at - x) ? place : best))
      if (this.target !== before) this.tell(this.target.bars)
      draw(model.ghost, { x: [this.target.at], text: [this.target.words] })
    }
    tell(bars) {
      this.model.heard = [this.held, bars, (this.model.heard[2] ?? 0) + 1]
    }
    let_go() {
      const { model, target } = this
      this.tell(null)
      draw(model.marks, { x: [], color: [] })
      draw(model.ghost, { x: [], text: [] })
      if (target && target.bars && !target.obstacle) model.moved = [this.held, target.bars, (model.moved[2] ?? 0) + 1]
    }
    select(sx) {
      const { model } = this
      const ends = [this.began, this.plot_view.frame.x_scale.invert(sx)].map((x) => Math.max(0, x / model.track_scale))
      if (Math.abs(ends[1] - ends[0]) > 0.05)
        model.stretch = [Math.min(...ends), Math.max(...ends), (model.stretch[2] ?? 0) + 1]
    }
  }
  const draw = (source, data) => source.setv({ data }, { sync: false })

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
      }))
    }
  }

  const TELL_MS = 40 // between two moves of a drag that the server is told of
  const POINT_REACH = 9 // px around a point

  // What is dragged is for the server to know.
  class PointToolView extends BoxSelectTool.prototype.default_view {
    dragging = false
    told = 0

    tell(phase, { sx, sy }) {
      const { x_scale, y_scale } = this.plot_view.frame
      const x = x_scale.invert(sx),
        y = y_scale.invert(sy)
      const reach = [x_scale.invert(sx + POINT_REACH) - x, y_scale.invert(sy - POINT_REACH) - y]
      this.told = performance.now()
      this.model.gesture = [phase, x, y, ...reach.map(Math.abs), (this.model.gesture[5] ?? 0) + 1]
    }
    [PAN_START](event) {
      this.dragging = this.plot_view.frame.bbox.contains(event.sx, event.sy)
      if (this.dragging) this.tell("press", event)
    }
    [PAN](event) {
      if (this.dragging && performance.now() - this.told >= TELL_MS) this.tell("move", event)
    }
    [PAN_END](event) {
      if (this.dragging) this.tell("release", event)
      this.dragging = false
    }
  }

  class PointTool extends BoxSelectTool {
    static {
      this.prototype.default_view = PointToolView
      this.define(({ Any, List }) => ({ gesture: [List(Any), []] }))
    }
  }

  const GRIP = { mouse: 6, pen: 8, touch: 16 } // px to either side of a beat, at most
  const GRIP_SHARE = 0.3 // of the way to the next line that is drawn, so that there is room to select between them
  const SNAP_REACH = 16 // px around an onset
  const STILL = 3 // px: less is a click

  // The pointer is followed here and not by Bokeh's gestures, which let go of one that rests before it drags.
  class BeatToolView extends BoxSelectTool.prototype.default_view {
    held = null

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
      listen("pointercancel", this.cancel)
      this.connect(this.model.properties.taken.change, () => this.held === null && this.clear())
    }
    remove() {
      this.cancel()
      this.listening.abort()
      super.remove()
    }
    x_of(event) {
      return event.clientX - this.plot_view.canvas_view.events_el.getBoundingClientRect().left
    }
    /** The line under the pointer, null where there is none near enough. */
    beat_at(event) {
      const { x_scale, bbox } = this.plot_view.frame
      const { events_el } = this.plot_view.canvas_view
      const sx = this.x_of(event)
      if (!bbox.contains(sx, event.clientY - events_el.getBoundingClientRect().top)) return null
      const lines = []
      for (const [kind, source] of [this.model.beats, this.model.bars].entries()) {
        const { x, low, high } = source.data
        for (let i = 0; i < x.length; i++)
          lines.push({ kind, at: x[i], low: low[i], high: high[i], away: Math.abs(x_scale.compute(x[i]) - sx) })
      }
      if (!lines.length) return null
      const [nearest, next] = lines.toSorted((one, other) => one.away - other.away)
      const gap = next ? Math.abs(x_scale.compute(next.at) - x_scale.compute(nearest.at)) : Infinity
      return nearest.away <= Math.min(GRIP[event.pointerType] ?? GRIP.mouse, GRIP_SHARE * gap) ? nearest : null
    }
    press(event) {
      if (this.held !== null) return void event.stopPropagation() // a second finger
      if (!this.model.active || !event.isPrimary || event.button !== 0) return
      const beat = this.beat_at(event)
      if (beat === null) return
      event.stopPropagation()
      const { x_scale } = this.plot_view.frame
      const sx = this.x_of(event)
      // Where it was pressed is kept, for the view may turn the page while music plays.
      const scale = x_scale.invert(sx + 1) - x_scale.invert(sx)
      this.held = { ...beat, sx, scale, pressed: x_scale.invert(sx), pointer: event.pointerId, to: null }
      this.plot_view.canvas_view.events_el.setPointerCapture(event.pointerId)
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
      if (event.pointerId !== held.pointer) return
      const by = this.x_of(event) - held.sx
      if (held.to === null && Math.abs(by) < STILL) return
      held.to = Math.min(held.high, Math.max(held.low, held.at + by * held.scale))
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
    point(event) {
      if (this.held === null && event.buttons) return
      if (this.held !== null || this.beat_at(event) !== null)
        this.plot_view.canvas_view.events_el.style.cursor = "ew-resize"
    }
    release(event) {
      const { held } = this
      if (held === null || event.pointerId !== held.pointer) return
      event.stopPropagation()
      this.let_go()
      if (held.to === null) tell("workbench-seek", held.pressed)
      else if (Math.round(1000 * (held.to - held.at)) === 0) this.clear()
      else this.model.moved = [held.at, held.to, (this.model.moved[2] ?? 0) + 1]
    }
    cancel() {
      if (this.held === null) return
      this.let_go()
      this.clear()
    }
    let_go() {
      const { events_el } = this.plot_view.canvas_view
      if (events_el.hasPointerCapture(this.held.pointer)) events_el.releasePointerCapture(this.held.pointer)
      window.removeEventListener("keydown", this.onKey, { capture: true })
      this.held = null
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

  for (const model of [ClockTickFormatter, SeekTo, LoopOver, ShowAll, SeamTool, PointTool, BeatTool]) {
    Object.assign(model, { __name__: model.name, __module__: "workbench.dashboards.figures" })
    Bokeh.Models.register(model)
  }

  // A figure of a tab that comes back is measured by Bokeh 3.9 before it is laid out, which ends in an exception. It is
  // measured again in the next picture of the screen, in which it is laid out; until then there is nothing to do.
  let figureView = Bokeh.Models.get("Figure").prototype.default_view.prototype
  while (figureView && !Object.hasOwn(figureView, "_measure_layout")) figureView = Object.getPrototypeOf(figureView)
  for (const step of figureView ? ["_measure_layout", "_after_layout"] : []) {
    const done = figureView[step]
    figureView[step] = function () {
      if (this.layout != null) done.call(this)
      else
        requestAnimationFrame(() => {
          if (this.layout != null) this.invalidate_layout()
        })
    }
  }
}
