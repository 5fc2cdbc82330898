// What is asked of the plan: a seam that is pinned, forbidden or moved, a stretch of the track, times of the video.
// Every constraint that applies is a chip that drops it; what contradicts is said, with a button for each to drop.
// While another option than the plan plays, all of it is off: it would change what is neither seen nor heard.

export function render({ model }) {
  const box = document.createElement("fieldset")
  box.className = "request"
  box.setAttribute("aria-label", "what is asked of the plan")
  const ask = (name, ...values) => {
    model.asked = [name, ...values, ((model.asked ?? []).at(-1) ?? 0) + 1]
  }
  const line = (name) => {
    const made = document.createElement("div")
    made.className = `line ${name}`
    box.append(made)
    return made
  }
  const button = (text, label, act) => {
    const made = document.createElement("button")
    made.textContent = text
    made.title = label
    // Whoever speaks to the page says what is written on a button, so its name begins with that.
    if (label) made.ariaLabel = /\w/.test(text) ? `${text}: ${label}` : label
    made.addEventListener("click", act)
    return made
  }
  const words = (text) => {
    const made = document.createElement("span")
    made.textContent = text
    return made
  }

  // The seam that is chosen.
  const seam = line("seam")
  const name = words(""),
    at = words("")
  // the nearest bar line on one side at which the seam can be
  const nextPlace = (way) => {
    const places = model.places.filter((place) => !place.obstacle && place.bars * way > 0)
    return places.reduce((best, place) => (best && Math.abs(best.bars) < Math.abs(place.bars) ? best : place), null)
  }
  const move = (way) => {
    const next = nextPlace(way)
    if (next) ask("move", model.seam, next.bars)
  }
  const choose = (by) => {
    if (model.seams) ask("choose", (model.seam + by + model.seams) % model.seams)
  }
  const before = button("‹", "the seam before ({)", () => choose(-1)),
    after = button("›", "the next seam (})", () => choose(1))
  const earlier = button("◀ Bar", "move the seam to the bar line before ([)", () => move(-1)),
    later = button("Bar ▶", "move the seam to the next bar line (])", () => move(1))
  const pin = button("Pin", "", () => ask("pin", model.seam)),
    forbid = button("Forbid", "plan without this splice", () => ask("forbid", model.seam))
  seam.append(before, name, after, earlier, later, pin, forbid, at)

  // A stretch of the track, and times of the video.
  const stretch = line("stretch")
  const field = (label) => {
    const made = document.createElement("input")
    made.size = 7
    made.placeholder = "M:SS"
    made.ariaLabel = label
    return made
  }
  const from = field("from, track time"),
    to = field("to, track time")
  const hit = () => ask("hit", playerTime())
  const ranged = (text, kind, label) => button(text, label, () => ask(kind, `${from.value}-${to.value}`))
  stretch.append(
    words("Track"),
    from,
    words("to"),
    to,
    ranged("Never cut", "never_cut", "no seam inside of this stretch"),
    ranged("Keep", "keep", "this stretch is heard whole, in one piece"),
    ranged("Exclude", "exclude", "this stretch is not played"),
    words("Playhead"),
    button("Start here", "the music starts at the playhead, after silence", () => ask("start_at", playerTime())),
    button("End on this hit", "the last hit of the music lands at the playhead", () => ask("end_on", playerTime())),
    button("Hit here", "the track's drop or chorus lands at the playhead (h), or where its flag is dragged to", hit),
  )

  const given = line("given"),
    fault = line("clash")
  fault.setAttribute("role", "alert")

  function paint() {
    const here = model.places.find((place) => place.bars === 0)
    box.disabled = model.other > 0
    seam.hidden = !model.seams
    name.textContent = `Seam ${model.seam + 1} of ${model.seams}`
    at.textContent = model.other ? `Option ${model.other} plays: use it to change it` : here ? "" : model.waiting
    earlier.disabled = !model.places.some((place) => !place.obstacle && place.bars < 0)
    later.disabled = !model.places.some((place) => !place.obstacle && place.bars > 0)
    for (const [one, way] of [
      [earlier, -1],
      [later, 1],
    ]) {
      const next = nextPlace(way)
      one.title = `${way < 0 ? "move to the bar line before ([)" : "move to the next bar line (])"}${next ? `: ${next.words}` : ""}`
    }
    pin.setAttribute("aria-pressed", model.pinned ? "true" : "false")
    pin.textContent = model.pinned ? "Pinned" : "Pin"
    pin.title = model.pinned ? "let the planner move this seam again" : "every later plan has this seam"
    given.replaceChildren(
      ...model.constraints.map(([label, said]) => {
        const chip = button(`${said} ✕`, `drop: ${said}`, () => ask("drop", label))
        chip.className = "constraint"
        chip.ariaLabel = `drop: ${said}`
        return chip
      }),
    )
    if (model.constraints.length) given.prepend(words("Asked for"))
    fault.replaceChildren()
    if (model.fault) {
      fault.append(words(model.fault))
      for (const [label, said] of model.clashing) fault.append(button(`Drop ${said}`, "", () => ask("give_up", label)))
      fault.append(button("Leave it", "keep the plan as it was", () => ask("leave")))
    }
    fault.hidden = !model.fault
    given.hidden = !model.constraints.length
  }
  function fill() {
    if (model.stretch.length) {
      from.value = model.stretch[0]
      to.value = model.stretch[1]
    }
  }
  const acts = { "[": () => move(-1), "]": () => move(1), "{": () => choose(-1), "}": () => choose(1), h: hit }
  const onKey = (event) => {
    if (box.disabled || !box.checkVisibility() || !keyIsFree(event) || !acts[event.key]) return
    acts[event.key]()
    event.preventDefault()
  }
  const deafen = listenToKeys(onKey)
  const repaint = soon(paint)
  for (const changed of ["seam", "seams", "places", "waiting", "pinned", "constraints", "fault", "clashing", "other"])
    model.on(changed, repaint)
  model.on("stretch", fill)
  model.on("remove", deafen)
  paint()
  fill()
  return box
}
