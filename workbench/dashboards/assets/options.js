// The options of a plan side by side: a strip of what each plays, its facts, and which two are compared as A and B.
export function render({ model }) {
  const row = made("div", "", "options"),
    send = sender(model)
  const paint = () => {
    row.replaceChildren(
      ...model.options.map((option, number) => {
        const card = made("div", "", "option" + (number === model.shown ? " shown" : ""))
        const strip = made("div", "", "strip")
        for (const [from, to, colour] of option.pieces) {
          const piece = made("i")
          piece.style.cssText = `left:${100 * from}%;width:${100 * (to - from)}%;background:${colour}`
          strip.append(piece)
        }
        for (const at of option.seams) {
          const seam = made("b")
          seam.style.left = `${100 * at}%`
          strip.append(seam)
        }
        const words = made("div", option.words, "words")
        words.title = option.title
        const pick = (name, chosen) => {
          const compare = button(name, `option ${number + 1} as ${name}`, () => {
            send("picked", number, name.toLowerCase())
            // After the server was told: then it knows what the transport says next.
            if (number === (name === "A" ? model.b : model.a)) return
            window.dispatchEvent(new CustomEvent("workbench-option", { detail: [number, name.toLowerCase()] }))
          })
          compare.title = `compare as ${name}`
          press(compare, chosen)
          return compare
        }
        const head = made("div", "", "head")
        head.append(made("strong", `Option ${number + 1}`), made("span", option.score))
        if (number !== model.used) {
          const use = button("Use", `Use option ${number + 1}`, () => send("picked", number, "use"))
          use.title = "make it the plan: for the other tabs and for downloads"
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
      const more = button("Other options", "", () => send("asked"))
      more.title = "plan what else meets the request"
      row.append(more)
    }
  }
  const repaint = soon(paint)
  model.on(["options", "a", "b", "shown", "used", "more"], repaint)
  paint()
  return row
}
