// A figure of a tab that comes back is measured by Bokeh 3.9 before it is laid out, which ends in an exception. It is
// measured again in the next picture of the screen, in which it is laid out; until then there is nothing to do.
let figureView = window.Bokeh?.Models.get("Figure").prototype.default_view.prototype
while (figureView && !Object.hasOwn(figureView, "_measure_layout")) figureView = Object.getPrototypeOf(figureView)
for (const step of figureView ? ["_measure_layout", "_after_layout"] : []) {
  const done = figureView[step]
  figureView[step] = function () {
    if (this.layout != null) done.call(this)
    else requestAnimationFrame(() => { if (this.layout != null) this.invalidate_layout() })
  }
}
