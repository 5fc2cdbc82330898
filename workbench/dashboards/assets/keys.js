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

// Listens to keys and clicks until the function it returns is called.
function listenToKeys(onKey) {
  document.addEventListener("keydown", onKey)
  document.addEventListener("click", releaseFocus)
  return () => {
    document.removeEventListener("keydown", onKey)
    document.removeEventListener("click", releaseFocus)
  }
}

// A button that shows what the keys do: [[keys, what they do], ...]. `fill` puts others before them.
function keysButton(rows) {
  const box = document.createElement("span"),
    button = document.createElement("button"),
    sheet = document.createElement("dl")
  box.className = "keys"
  button.textContent = "Keys"
  button.title = "what the keys do (?)"
  sheet.hidden = true
  const line = ([keys, what]) => {
    const name = document.createElement("dt"),
      words = document.createElement("dd")
    for (const key of keys.split(" ")) {
      const cap = document.createElement("kbd")
      cap.textContent = key
      name.append(cap, " ")
    }
    words.textContent = what
    return [name, words]
  }
  const fill = (first) => sheet.replaceChildren(...[...first, ...rows].flatMap(line))
  fill([])
  const show = (on) => {
    sheet.hidden = !on
    button.setAttribute("aria-expanded", on ? "true" : "false")
  }
  const toggle = () => show(sheet.hidden)
  button.addEventListener("click", toggle)
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(false)
  })
  show(false)
  box.append(button, sheet)
  return { box, toggle, fill, close: () => show(false) }
}
