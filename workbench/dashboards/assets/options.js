// The options of a plan side by side: a strip of what each plays, its facts, and which two are compared as A and B.
export function render({ model }) {
  const row = made("div", "", "options")
  const paint = () => {
    row.replaceChildren(
      ...model.options.map((option, number) => {
        const card = made("div", "", "option" + (number === model.shown ? " shown" : ""))
        const strip = made("div", "", "strip")
        for (const [from, to, colour] of option.pieces) {
          const piece = document.createElement("i")
          piece.style.cssText = `left:${100 * from}%;width:${100 * (to - from)}%;background:${colour}`
          strip.append(piece)
        }
        for (const at of option.seams) {
          const seam = document.createElement("b")
          seam.style.left = `${100 * at}%`
          strip.append(seam)
        }
        const words = made("div", option.words, "words")
        words.title = option.title
        const pick = (name, chosen) => {
          const button = made("button", name)
          button.title = `compare as ${name}`
          button.setAttribute("aria-label", `option ${number + 1} as ${name}`)
          button.setAttribute("aria-pressed", chosen ? "true" : "false")
          button.addEventListener("click", () => {
            model.picked = [number, name.toLowerCase(), (model.picked[2] ?? 0) + 1]
            // After the server was told: then it knows what the transport says next.
            if (number === (name === "A" ? model.b : model.a)) return
            window.dispatchEvent(new CustomEvent("workbench-option", { detail: [number, name.toLowerCase()] }))
          })
          return button
        }
        const head = made("div", "", "head")
        const name = made("strong", `Option ${number + 1}`)
        const score = made("span", option.score)
        head.append(name, score)
        if (number !== model.used) {
          const use = made("button", "Use")
          use.setAttribute("aria-label", `Use option ${number + 1}`)
          use.title = "make it the plan: for the other tabs and for downloads"
          use.addEventListener("click", () => {
            model.picked = [number, "use", (model.picked[2] ?? 0) + 1]
          })
          head.append(use)
        } else {
          const used = made("em", "in use")
          used.title = "the plan: of the other tabs and of downloads"
          head.append(used)
        }
        head.append(pick("A", number === model.a), pick("B", number === model.b))
        card.append(head, strip, words)
        return card
      }),
    )
    if (model.more) {
      const more = made("button", "Other options")
      more.title = "plan what else meets the request"
      more.addEventListener("click", () => {
        model.asked = model.asked + 1
      })
      row.append(more)
    }
  }
  const repaint = soon(paint)
  for (const name of ["options", "a", "b", "shown", "used", "more"]) model.on(name, repaint)
  paint()
  return row
}
