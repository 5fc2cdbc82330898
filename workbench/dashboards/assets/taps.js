// Taps along with the music: each press takes the place of the playhead; a rest sends them all.
const REST_MS = 1600

export function render({ model }) {
  const pad = made("button")
  pad.title = "tap each beat along with the music (t); a rest puts the taps into the grid"
  let taps = [],
    resting = 0,
    span = null
  const place = () => {
    span ??= window.Bokeh?.documents.map((doc) => doc.get_model_by_name(model.playhead)).find((found) => found)
    return span?.location ?? 0
  }
  const paint = () => {
    const last = taps.length - 1
    const bpm = last > 0 ? (60 * last) / (taps[last] - taps[0]) : 0
    pad.textContent = taps.length ? `Tap: ${taps.length}${bpm ? ` · ${bpm.toFixed(0)} bpm` : ""}` : "Tap along"
  }
  const send = () => {
    if (taps.length > 1) sender(model)("tapped", ...taps)
    taps = []
    paint()
  }
  const tap = () => {
    const at = place(),
      stands = at === taps.at(-1) // no music runs
    if (taps.length && at <= taps.at(-1)) taps = [] // the music went back
    taps.push(at)
    clearTimeout(resting)
    resting = setTimeout(send, REST_MS)
    paint()
    if (stands) pad.textContent = "Play, then tap along"
  }
  pad.addEventListener("pointerdown", tap)
  pad.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.repeat) tap()
  })
  listenToKeys(model, pad, ({ key, repeat }) => key === "t" && !repeat && tap)
  model.on("remove", () => clearTimeout(resting))
  paint()
  return pad
}
