// The seams of a plan as a row of buttons: number, score, crossfade; the worst is marked where it is doubtful.
// Where they are those of another plan than the one in use, they only tell, and one button asks to use that plan.
const MARKS = { good: "✓", audible: "~", wrong: "✗" }

export function render({ model }) {
  const box = made("div", "", "named row"),
    name = made("span"),
    row = made("div", "", "chips"),
    send = sender(model)
  row.setAttribute("role", "toolbar")
  row.setAttribute("aria-label", "seams")

  let scrolls = 0
  const paint = () => {
    const chips = model.scores.map((score, seam) => {
      const words = score === null ? "" : score.toFixed(2),
        worst = seam === model.worst
      const fade = model.fades[seam] === undefined ? "" : `${Math.round(1000 * model.fades[seam])} ms`
      const said = model.verdicts[seam] ?? ""
      const mark = said ? ` <i>${MARKS[said]}</i>` : ""
      const label = `seam ${seam + 1}, score ${words || "unknown"}, crossfade ${fade}${worst ? ", the worst" : ""}`
      const chip = button("", said ? `${label}, judged ${said}` : label, () => send("picked", seam))
      chip.innerHTML = `<b>${seam + 1}</b>${mark} ${words} <small>${fade}</small>${worst && model.warns ? " <em>worst</em>" : ""}`
      press(chip, seam === model.seam)
      chip.disabled = model.ask !== ""
      return chip
    })
    name.textContent = chips.length ? model.label : ""
    if (chips.length && model.ask) chips.push(button(model.ask, "", () => send("asked")))
    const held = [...row.querySelectorAll("button")].indexOf(row.getRootNode().activeElement)
    row.replaceChildren(...chips)
    chips[held]?.focus()
    cancelAnimationFrame(scrolls)
    scrolls = requestAnimationFrame(() => reveal(chips))
  }
  // Sideways only: the page stays where it is. In the next picture, which measures the page anyway.
  const reveal = (chips) => {
    const shown = chips[model.seam >= 0 ? model.seam : model.worst]
    if (
      shown &&
      (shown.offsetLeft < row.scrollLeft || shown.offsetLeft + shown.offsetWidth > row.scrollLeft + row.clientWidth)
    )
      row.scrollLeft = shown.offsetLeft - row.clientWidth / 2
  }
  const repaint = soon(paint)
  model.on(["scores", "fades", "worst", "warns", "seam", "label", "ask", "verdicts"], repaint)
  onResize(model, row, paint)
  box.append(name, row)
  return box
}
