// What is asked of the plan: a seam that is pinned, forbidden or moved, a stretch of the track, times of the video.
// Every constraint that applies is a chip that drops it; what contradicts is said, with a button for each to drop.
// While another option than the plan plays, all of it is off: it would change what is neither seen nor heard.

export function render({ model }) {
  const box = made("fieldset", "", "request")
  box.setAttribute("aria-label", "what is asked of the plan")
  const send = sender(model)
  const ask = (...wish) => send("asked", ...wish)
  const line = (name) => {
    const row = made("div", "", `line row ${name}`)
    box.append(row)
    return row
  }
  const acting = (text, label, act) => {
    const node = button(text, label, act)
    // Whoever speaks to the page says what is written on a button, so its name begins with that.
    if (label && /\w/.test(text)) node.ariaLabel = `${text}: ${label}`
    return node
  }
  const words = (text) => made("span", text)

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
  const before = acting("‹", "the seam before ({)", () => choose(-1)),
    after = acting("›", "the next seam (})", () => choose(1))
  const earlier = acting("◀ Bar", "move the seam to the bar line before ([)", () => move(-1)),
    later = acting("Bar ▶", "move the seam to the next bar line (])", () => move(1))
  const pin = acting("Pin", "", () => ask("pin", model.seam)),
    forbid = acting("Forbid", "plan without this splice", () => ask("forbid", model.seam))
  seam.append(before, name, after, earlier, later, pin, forbid, at)

  // A stretch of the track, and times of the video.
  const stretch = line("stretch")
  const field = (ariaLabel) => madeInput({ size: 7, placeholder: "M:SS", ariaLabel })
  const from = field("from, track time"),
    to = field("to, track time")
  const hit = () => ask("hit", playerTime())
  const ranged = (text, kind, label) => acting(text, label, () => ask(kind, `${from.value}-${to.value}`))
  stretch.append(
    words("Track"),
    from,
    words("to"),
    to,
    ranged("Never cut", "never_cut", "no seam inside of this stretch"),
    ranged("Keep", "keep", "this stretch is heard whole, in one piece"),
    ranged("Exclude", "exclude", "this stretch is not played"),
    words("Playhead"),
    acting("Start here", "the music starts at the playhead, after silence", () => ask("start_at", playerTime())),
    acting("End on this hit", "the last hit of the music lands at the playhead", () => ask("end_on", playerTime())),
    acting("Hit here", "the track's drop or chorus lands at the playhead (h), or where its flag is dragged to", hit),
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
    for (const [one, way] of [
      [earlier, -1],
      [later, 1],
    ]) {
      const next = nextPlace(way)
      one.disabled = !next
      one.title = `${way < 0 ? "move to the bar line before ([)" : "move to the next bar line (])"}${next ? `: ${next.words}` : ""}`
    }
    press(pin, model.pinned)
    pin.textContent = model.pinned ? "Pinned" : "Pin"
    pin.title = model.pinned ? "let the planner move this seam again" : "every later plan has this seam"
    given.replaceChildren(
      ...model.constraints.map(([label, said]) => {
        const chip = acting(`${said} ✕`, `drop: ${said}`, () => ask("drop", label))
        chip.className = "constraint"
        chip.ariaLabel = `drop: ${said}`
        return chip
      }),
    )
    if (model.constraints.length) given.prepend(words("Asked for"))
    fault.replaceChildren()
    if (model.fault) {
      fault.append(words(model.fault))
      for (const [label, said] of model.clashing) fault.append(acting(`Drop ${said}`, "", () => ask("give_up", label)))
      fault.append(acting("Leave it", "keep the plan as it was", () => ask("leave")))
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
  listenToKeys(model, box, ({ key }) => !box.disabled && acts[key])
  const repaint = soon(paint)
  model.on(["seam", "seams", "places", "waiting", "pinned", "constraints", "fault", "clashing", "other"], repaint)
  model.on("stretch", fill)

  paint()
  fill()
  return box
}
