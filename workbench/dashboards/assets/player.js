// What the players of the page have in common beside their buttons: the volume, and a stretch that is looped.

const BEFORE_S = 2, // that are looped before the playhead, and after it
  AFTER_S = 6
const SWITCH_S = 0.02 // of switching, muting and matching

/** A slider of the page's one volume; all of them stand alike. */
function volumeSlider(model) {
  const slider = made("input")
  Object.assign(slider, { type: "range", min: 0, max: 1, step: 0.01, value: output.level, title: "volume" })
  slider.setAttribute("aria-label", "volume")
  slider.addEventListener("input", () => {
    output.level = Number(slider.value)
    output.volume?.gain.setTargetAtTime(output.level, output.context.currentTime, SWITCH_S / 3)
    window.dispatchEvent(new CustomEvent("workbench-volume"))
  })
  const follow = () => {
    slider.value = output.level
  }
  listen(model, window, { "workbench-volume": follow })
  return slider
}

/** A button that loops around the playhead, or stops looping. `region()` is [from, to], s, or empty; `loop` sets it. */
function loopButton({ title, at, seconds, region, loop }) {
  const toggle = () => loop(region().length ? [] : [Math.max(0, at() - BEFORE_S), Math.min(seconds(), at() + AFTER_S)])
  const loops = button("", title, toggle)
  const paint = () => {
    const [from, to] = region()
    press(loops, region().length === 2)
    loops.textContent = region().length === 2 ? `Loop ${clock(from)}–${clock(to)}` : "Loop"
  }
  paint()
  return { button: loops, toggle, paint }
}
