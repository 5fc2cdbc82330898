// What Panel's components lack. Loaded as a file before Panel; mended when all files are there, just before the page is
// drawn.
//
// Their scripts are imported by the browser itself. es-module-shims, which Panel calls, fetches each and reads it for names
// that an import map explains, of which ours have none; and Panel translates each from TypeScript, which ours are not. Both
// together are a quarter of what a browser has to do to open the page.
//
// A component of Panel 1.9 is drawn with the values of its model, and listens to the model a moment later, when React
// runs its effects. What the server sends in between would never be shown: so it looks again as soon as it listens.
// (facebook/react#14988 describes the same gap.)
document.addEventListener("DOMContentLoaded", () => {
  const component = window.Bokeh.Models.get("panel.models.esm.ReactComponent").prototype
  Object.getPrototypeOf(component).compile = function () {
    return this.esm
  }
  window.importShim = Object.assign((url) => import(new URL(url, document.baseURI).href), window.importShim)
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
