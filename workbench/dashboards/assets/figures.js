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

  for (const model of [ClockTickFormatter, SeekTo, LoopOver, ShowAll]) {
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
