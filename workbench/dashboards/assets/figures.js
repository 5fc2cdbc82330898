// What the browser does with figures by itself. Loaded as a file, after Bokeh and before the page is drawn; the models
// have their other half in figures.py.
{
  const { Bokeh } = window
  // Bokeh lists no classes that only others are made from.
  const parentOf = (name) => Object.getPrototypeOf(Bokeh.Models.get(name))
  const TickFormatter = parentOf("BasicTickFormatter")
  const Callback = parentOf("SetValue")
  const tell = (name, detail) => window.dispatchEvent(new CustomEvent(name, { detail }))

  class ClockTickFormatter extends TickFormatter {
    doFormat(ticks) {
      const tenths = ticks.length > 1 && ticks[1] - ticks[0] < 1
      return ticks.map((tick) => {
        const s = Math.abs(tick)
        const minutes = Math.floor((s + 1e-6) / 60)
        const rest = s - 60 * minutes
        const seconds = tenths ? rest.toFixed(1).padStart(4, "0") : Math.round(rest).toString().padStart(2, "0")
        return `${tick < 0 ? "-" : ""}${minutes}:${seconds}`
      })
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

  for (const model of [ClockTickFormatter, SeekTo, LoopOver, ShowAll, SeamTool, PointTool]) {
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
