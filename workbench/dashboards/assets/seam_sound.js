// A few seconds of a plan over and over, as long as a seam is dragged; see tabs/request.py.

export function render({ model }) {
  let sound = null
  function stop() {
    sound?.stop()
    endSounding(mine)
  }
  const at = () => (sound?.playing ? sound.position() : model.stretch[0])
  const mine = { title: "Plan", at, seconds: () => model.stretch[1], stop }
  async function hear() {
    const { music, plan, stretch } = model
    if (!plan.cues) {
      stop()
      return
    }
    const context = openOutput(plan.rate)
    if (sound?.context !== context) {
      sound = new Sound(context, ["music"], output.volume)
      sound.fault = (error) => console.warn(error)
    }
    beginSounding(mine)
    sound.set("music", music, plan, [])
    sound.level("music", gainOf(model.gain_db))
    const wish = model.asked
    await sound.context.resume()
    if (wish === model.asked) await sound.start(stretch[0], stretch)
    if (wish !== model.asked && !model.plan.cues) stop() // let go of while the sound was loaded
  }
  model.on("asked", () => hear().catch((error) => console.warn(error)))
  model.on("remove", stop)
  const box = made("div", "", "dragged")
  box.heard = () => (sound?.playing ? [sound.position(), model.stretch] : null)
  return box
}
