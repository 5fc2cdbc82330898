// Points of the ducking envelope: one is chosen, moved by its fields, added at the playhead, deleted. What a point may
// be is for the server to say. The slider that lowers and raises all of them is heard at once: each point goes along,
// and what the server makes of it follows.

export function render({ model }) {
  const box = made("div", "", "envelope row")
  box.setAttribute("role", "group")
  box.setAttribute("aria-label", "points of the duck")
  const ask = asker(model)
  const field = (label, unit, step) => {
    const input = madeInput({ type: "number", step, min: 0, title: label, ariaLabel: label })
    const set = () => {
      if (at.value !== "" && depth.value !== "") ask("set", model.chosen, Number(at.value), Number(depth.value))
    }
    const keep = () => {
      ask("keep")
      fill(true) // what was typed may have been more than may be
    }
    input.addEventListener("input", set)
    input.addEventListener("blur", keep)
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") keep()
    })
    const line = made("label")
    line.append(input, unit)
    return [input, line]
  }
  const name = made("span")
  const choose = (way) => model.count && ask("choose", way)
  const add = () => ask("add", playerTime() ?? 0)
  const drop = () => model.chosen >= 0 && ask("delete")
  const before = button("‹", "the point before ([)", () => choose(-1)),
    after = button("›", "the next point (])", () => choose(1))
  const [at, atLine] = field("time of the point, s", " s", 0.1),
    [depth, depthLine] = field("depth of the point, dB", " dB", 0.5)
  const added = button("Add", "add a point at the playhead (n); a drag on the curve adds one too", add),
    deleted = button("Delete", "delete the point (Delete)", drop),
    restored = button("Back to the measured curve", "Back to the measured curve", () => ask("restore"))
  box.append(before, name, after, atLine, depthLine, added, deleted, restored)

  function fill(anyway) {
    const focus = box.getRootNode().activeElement
    if (anyway || focus !== at) at.value = model.at.toFixed(2)
    if (anyway || focus !== depth) depth.value = model.depth.toFixed(1)
  }
  function paint() {
    const some = model.chosen >= 0
    name.textContent = some ? `Point ${model.chosen + 1} of ${model.count}` : `Duck, ${model.count} points`
    atLine.hidden = depthLine.hidden = !some
    deleted.disabled = !some
    before.disabled = after.disabled = !model.count
    restored.hidden = !model.drawn
    fill(false)
  }
  const models = window.Bokeh.documents.flatMap((doc) => Array.from(doc.all_models))
  const slider = models.find((one) => one.data?.label === model.slider && "value_throttled" in one.data.properties)
  const lower = () => {
    const by = slider.data.value_throttled - model.under
    if (by && !model.drawn && box.checkVisibility())
      window.dispatchEvent(new CustomEvent("workbench-duck", { detail: [by, model.deepest] }))
  }
  slider?.data.properties.value_throttled.change.connect(lower)
  const acts = { "[": () => choose(-1), "]": () => choose(1), n: add, Delete: drop }
  listenToKeys(model, box, ({ key }) => acts[key])
  model.on(["count", "chosen", "at", "depth", "drawn"], paint)
  model.on("remove", () => slider?.data.properties.value_throttled.change.disconnect(lower))
  paint()
  return box
}
