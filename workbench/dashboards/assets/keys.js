// Whose a key is: the control's that has the focus, or the transport's. Put in front of the scripts that need it.

// what one writes into or chooses from takes every key
const TYPED = `textarea, select, [contenteditable=true], [role=combobox], [role=listbox], [role=menu], [role=dialog],
  input:not([type=range], [type=checkbox], [type=radio], [type=button])`
const SLID = "input[type=range], input[type=radio], [role=slider], [role=radio]"
const TICKED = "input[type=checkbox], [role=checkbox], [role=switch]"
const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"])
const within = (event, selector) => event.composedPath().some((node) => node.matches?.(selector))

// A control that used a key has prevented its default, as a focused tab does with arrows. Space is left to what is
// ticked by it; buttons and tabs have Enter.
function keyIsFree(event) {
  if (event.defaultPrevented || event.metaKey || event.altKey || within(event, TYPED)) return false
  if (event.ctrlKey && !MOVES.has(event.key)) return false
  if (MOVES.has(event.key)) return !within(event, SLID)
  return event.key !== " " || !within(event, TICKED)
}

// What was clicked with the mouse gives the focus back, so that the keys go to the transport again; what was reached
// by keyboard (a click without a pointer has detail 0) keeps it.
function releaseFocus(event) {
  if (event.detail === 0 || within(event, TYPED) || !within(event, `button, [role=tab], ${TICKED}`)) return
  let focused = document.activeElement
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  focused?.blur()
}

// Does what keys are for while a component is seen; `actOf` says what that is for an event, if anything.
function listenToKeys(model, box, actOf) {
  const keydown = (event) => {
    const act = box.checkVisibility() && keyIsFree(event) && actOf(event)
    if (!act) return
    event.preventDefault()
    act(event)
  }
  listen(model, document, { keydown, click: releaseFocus })
}

// A button that shows what the keys do: [[keys, what they do], ...]. `fill` puts others before them.
function keysButton(rows) {
  const box = made("span", "", "keys"),
    sheet = made("dl")
  const line = ([keys, what]) => {
    const name = made("dt")
    for (const key of keys.split(" ")) name.append(made("kbd", key), " ")
    return [name, made("dd", what)]
  }
  const fill = (first) => sheet.replaceChildren(...[...first, ...rows].flatMap(line))
  fill([])
  const show = (on) => {
    sheet.hidden = !on
    opens.setAttribute("aria-expanded", on ? "true" : "false")
  }
  const toggle = () => show(sheet.hidden)
  const opens = button("Keys", "", toggle)
  opens.title = "what the keys do (?)"
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(false)
  })
  show(false)
  box.append(opens, sheet)
  return { box, toggle, fill, close: () => show(false) }
}
