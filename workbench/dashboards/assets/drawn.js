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
  const changes = new Set()
  const announce = () => {
    for (const component of componentsIn(doc))
      for (const { model, attr } of changes)
        if (model === component.data && !component.children.includes(attr)) model.properties[attr].change.emit()
    changes.clear()
  }
  doc.on_change((event) => {
    if (event.kind !== "ModelChanged" || event.sync) return
    if (!changes.size) setTimeout(announce, LISTENING_MS)
    changes.add(event)
  })
}
