// A few seconds of a plan over and over, as long as a seam is dragged; see plan_wishes.py.

export function render({ model }) {
  let sound = null
  function stop() {
    sound?.stop()
  }
  async function hear() {
    const { music, plan, stretch } = model
    if (!plan.cues) {
      stop()
      return
    }
    if (sound?.context.sampleRate !== plan.rate) {
      stop()
      sound?.context.close()
      sound = new Sound(new AudioContext({ sampleRate: plan.rate }), ["music"])
      sound.fault = (error) => console.warn(error)
    }
    // what else plays on the page gives way
    window.dispatchEvent(new CustomEvent("workbench-playing", { detail: model }))
    sound.set("music", music, plan, [])
    sound.level("music", gainOf(model.gain_db))
    const wish = model.asked
    await sound.context.resume()
    if (wish === model.asked) await sound.start(stretch[0], stretch)
    if (wish !== model.asked && !model.plan.cues) stop() // let go of while the sound was loaded
  }
  model.on("asked", () => hear().catch((error) => console.warn(error)))
  model.on("remove", () => {
    stop()
    sound?.context.close()
  })
  const box = document.createElement("div")
  box.className = "dragged"
  box.heard = () => (sound?.playing ? [sound.position(), model.stretch] : null)
  return box
}
