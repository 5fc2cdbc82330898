// What Panel's React components lack. Loaded as a file before Panel; mended when all files are there, just before the page
// is drawn.
//
// A component of Panel 1.9 is drawn with the values of its model, and listens to the model a moment later, when React
// runs its effects. What the server sends in between would never be shown: so it looks again as soon as it listens.
// (facebook/react#14988 describes the same gap.)
document.addEventListener("DOMContentLoaded", () => {
  const component = window.Bokeh.Models.get("panel.models.esm.ReactComponent").prototype
  const listening = "react_proxy.on(prop, cb, true)"
  const step = "_render_code"
  const write = component[step]
  // Everything is drawn light or dark at once; what it is on the server follows (status.js).
  const { initialize } = component
  component.initialize = function () {
    initialize.call(this)
    if ("dark_theme" in this.data.properties) this.data.dark_theme = window.workbenchTheme.isDark()
  }
  component[step] = function () {
    const code = write.call(this)
    if (!code.includes(listening)) throw new Error("Panel's components listen in another way: see components.js")
    return code.replace(listening, `${listening}; cb()`)
  }
})
