// Corrections of the grid at the playhead: each press sends the time at which the player is.

export function render({ model }) {
  const box = document.createElement("span")
  box.className = "places"
  model.acts.forEach(([label, title], act) => {
    const button = document.createElement("button")
    button.textContent = label
    button.title = title
    button.addEventListener("click", () => {
      model.pressed = [act, playerTime(), (model.pressed.at(-1) ?? 0) + 1]
    })
    box.append(button)
  })
  return box
}
