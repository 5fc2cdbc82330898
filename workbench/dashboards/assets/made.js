// What every component begins with: elements, what is sent to the server, and listening while a component is there.

/** A new element, with its text and its class. */
const made = (kind, text = "", name = "") => {
  const node = document.createElement(kind)
  if (text !== "") node.textContent = text
  if (name) node.className = name
  return node
}
/** A button; its label is its title too. */
const button = (text, label, act, name = "") => {
  const node = made("button", text, name)
  if (label) node.title = node.ariaLabel = label
  node.addEventListener("click", act)
  return node
}
/** A field to write or to choose in, with its properties. */
const madeInput = (properties) => Object.assign(made("input"), properties)
const press = (node, on) => node.setAttribute("aria-pressed", on ? "true" : "false")
/** A new element of a drawing. */
const shape = (kind, attributes) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", kind)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
  return node
}

/** A function that sends values to the server, and with them a count, so that the same are sent again. */
const sender =
  (model) =>
  (name, ...values) => {
    const before = model[name]
    model[name] = typeof before === "number" ? before + 1 : [...values, (before.at(-1) ?? 0) + 1]
  }
/**
 * A function that asks for something: its arguments, numbered, join those that the server has not taken yet, because
 * what changes in quick succession arrives there as one change. The model has `asked` and `taken`.
 */
const asker = (model) => {
  let waiting = [],
    count = model.taken
  return (...wish) => {
    count = Math.max(count, model.taken) + 1
    waiting = [...waiting.filter(([number]) => number > model.taken), [count, ...wish]]
    model.asked = waiting
  }
}

/** A function that acts after the last change of a message, however many values of a component it changes. */
const soon = (act) => {
  let waits = false
  return () => {
    if (waits) return
    waits = true
    queueMicrotask(() => {
      waits = false
      act()
    })
  }
}
/** Listen to events of what outlives a component, by their names, until that is removed. */
const listen = (model, target, acts, capture = false) => {
  const ending = new AbortController()
  model.on("remove", () => ending.abort())
  for (const [name, act] of Object.entries(acts)) target.addEventListener(name, act, { capture, signal: ending.signal })
}
const onResize = (model, node, act) => {
  const sized = new ResizeObserver(act)
  sized.observe(node)
  model.on("remove", () => sized.disconnect())
}
