// The outline of what is coming, and how far it is.
export function render({ model }) {
  const box = made("div", "", "skeleton"),
    words = made("p"),
    progress = made("progress")
  progress.setAttribute("aria-label", "how far it is")
  const paint = () => {
    words.textContent = model.words
    words.hidden = !model.words
    if (model.done > 0) progress.value = model.done
    else progress.removeAttribute("value")
  }
  const draw = () => {
    const lanes = model.lanes.map((height) => {
      const lane = made("div")
      lane.style.flexGrow = height
      return lane
    })
    box.replaceChildren(words, progress, ...lanes)
  }
  model.on(["words", "done"], paint)
  model.on("lanes", draw)
  paint()
  draw()
  return box
}
