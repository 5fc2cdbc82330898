// What the server changes while a component of Panel's is drawn.
const LISTENING_MS = 500 // after which a component listens to its model for sure

const componentsIn = (doc) => {
  const Component = window.Bokeh.Models.get("panel.models.esm.ReactComponent")
  return Array.from(doc.all_models).filter((model) => model instanceof Component)
}

/** A component of Panel 1.9 is drawn with the values of its model, and listens to the model a moment later, when React runs
 * its effects (facebook/react#14988). What the server changes in between it would never show: so each change is announced
 * to it once more. */
const announceAgain = (doc) => {
  let changes = []
  const announce = (changed) => {
    for (const component of componentsIn(doc))
      for (const { model, attr } of changed)
        if (model === component.data && !component.children.includes(attr)) model.properties[attr].change.emit()
  }
  doc.on_change((event) => {
    if (event.kind !== "ModelChanged" || event.sync) return
    if (!changes.length)
      // Changes of one message come at once, and each message waits its full time.
      queueMicrotask(() => {
        setTimeout(announce, LISTENING_MS, changes)
        changes = []
      })
    changes.push(event)
  })
}
