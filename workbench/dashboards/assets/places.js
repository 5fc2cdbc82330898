// Corrections of the grid at the playhead: each press sends the time at which the player is.

export function render({ model }) {
  const box = made("span", "", "places row"),
    send = sender(model)
  model.acts.forEach(([label, title], act) => {
    const acts = button(label, "", () => send("pressed", act, playerTime()))
    acts.title = title
    box.append(acts)
  })
  return box
}
