// Tracks stacked under one video, of which the transport plays one. See tracks.py.

const MOST = 3 // that are compared
const LOOK_MS = 150 // after the last letter, until the catalog is searched

export function render({ model }) {
  const box = made("div", "", "stack"),
    send = sender(model)
  const ask = (what, which) => send("asked", what, which)
  /** Hear a track: the transport knows at once, the server a moment later. */
  const hear = (k) => {
    if (!model.tracks[k]?.ready) return
    ask("hear", model.tracks[k].id)
    window.dispatchEvent(new CustomEvent("workbench-option", { detail: [k, "abc"[k]] }))
  }
  const slider = madeInput({ type: "range", min: 0, step: 0.1, className: "where", ariaLabel: "where it plays, s" })
  slider.addEventListener("input", () =>
    window.dispatchEvent(new CustomEvent("workbench-seek", { detail: Number(slider.value) })),
  )
  const rows = made("div", "", "rows"),
    adds = made("div", "", "adds row"),
    field = madeInput({
      type: "search",
      placeholder: "a track of the catalog",
      ariaLabel: "compare a track of the catalog",
    }),
    found = made("div", "", "found"),
    hint = made("p", `Up to ${MOST} tracks play together under the video; 1, 2 and 3 switch what is heard.`)
  adds.append(made("span", "Compare with"), field, hint, found)
  let looking = 0,
    entered = false // Enter was pressed, and what it asks for has not been found yet
  const look = () => {
    clearTimeout(looking)
    send("wanted", field.value.trim())
  }
  field.addEventListener("focus", look)
  field.addEventListener("input", () => {
    clearTimeout(looking)
    entered = false
    looking = setTimeout(look, LOOK_MS)
  })
  const add = (id) => {
    found.replaceChildren()
    field.value = ""
    ask("add", id)
  }
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return
    entered = true
    if (model.wanted[0] !== field.value.trim()) look()
    else if (model.found[1] === model.wanted[1]) takeFirst()
  })
  function takeFirst() {
    entered = false
    found.querySelector("button")?.click()
  }
  function showFound() {
    if (model.found[1] !== model.wanted[1]) return
    found.replaceChildren(...model.found[0].map(([id, words]) => button(words, `compare ${words}`, () => add(id))))
    if (!model.found[0].length) found.textContent = "No other track has these words."
    if (entered) takeFirst()
  }

  function show() {
    slider.max = model.duration
    slider.value = model.time
  }
  function paint() {
    rows.replaceChildren(
      ...model.tracks.map((track, k) => {
        const row = made("div", "", "row")
        const hears = button(`${k + 1}  ${track.title}`, `hear ${track.title} (${k + 1})`, () => hear(k), "hear")
        press(hears, track.ready && k === model.chosen)
        hears.disabled = !track.ready
        // where its seams are, under the slider; the words have their number
        const seams = made("div", "", "seams")
        seams.setAttribute("aria-hidden", "true")
        for (const [n, second] of track.seams.entries()) {
          const seam = made("i")
          seam.style.left = `${(100 * second) / Math.max(model.duration, 0.001)}%`
          seam.title = `seam ${n + 1}, ${clock(second)}`
          seams.append(seam)
        }
        row.append(hears, made("span", track.words, "words"))
        if (track.own) row.append(made("span", "in use", "own"))
        else
          row.append(
            button("Use", `use ${track.title}: every tab shows it, every download holds it`, () =>
              ask("use", track.id),
            ),
            button("✕", `do not compare ${track.title} any more`, () => ask("remove", track.id)),
          )
        if (track.seams.length) row.append(seams)
        return row
      }),
    )
    hint.hidden = model.tracks.length > 1
    adds.hidden = model.tracks.length >= MOST
    show()
  }
  box.append(slider, rows, adds)

  listenToKeys(model, box, ({ key }) => "123".includes(key) && (() => hear(Number(key) - 1)))
  model.on(["tracks", "chosen", "duration"], soon(paint))
  model.on("time", show)
  model.on("found", showFound)
  model.on("remove", () => clearTimeout(looking))
  paint()
  return box
}
