// A blind test: one trial after the other. All sounds of a trial run together in a loop, of which one is heard, so that
// switching is at the same place. What a letter hides is not known here.
const FADE_S = 0.01
const BANDS = ["excellent", "good", "fair", "poor", "bad"] // of 20 points each, from 100 down

const made = (kind, text = "", name = "") => {
  const node = document.createElement(kind)
  if (text) node.textContent = text
  if (name) node.className = name
  return node
}

export function render({ model }) {
  const box = made("section", "", "blind")
  let context = null,
    playing = [], // [letter, source, gain]
    heard = "",
    began = 0,
    wishes = 0,
    from = 0,
    lasts = 0,
    count = model.answered.at(-1) ?? 0,
    ratings = {}

  const mine = {
    title: "Listening",
    at: () => Math.max(0, context.currentTime - from) % lasts,
    seconds: () => lasts,
    stop: () => {
      silence()
      show()
    },
  }
  const trial = () => model.trials[model.number]
  function silence() {
    for (const [, source, gain] of playing) {
      gain.gain.setTargetAtTime(0, context.currentTime, FADE_S / 3)
      source.stop(context.currentTime + 4 * FADE_S)
    }
    playing = []
    heard = ""
    endSounding(mine)
  }
  async function bufferOf(url) {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url}: ${response.status}`)
    return context.decodeAudioData(await response.arrayBuffer())
  }
  async function start() {
    const wish = ++wishes
    context = openOutput()
    const letters = Object.entries(trial().sounds)
    let buffers = []
    try {
      buffers = await Promise.all(letters.map(([, url]) => bufferOf(url)))
      context = openOutput() // another player may have asked for another rate meanwhile
      await context.resume()
    } catch (error) {
      console.warn(error)
      fault.textContent = "These sounds cannot be played; begin the test again."
      return false
    }
    if (wish !== wishes) return false
    beginSounding(mine)
    const at = context.currentTime + 0.02
    from = at
    lasts = buffers[0].duration
    playing = letters.map(([letter], k) => {
      const source = context.createBufferSource(),
        gain = context.createGain()
      Object.assign(source, { buffer: buffers[k], loop: true })
      gain.gain.value = 0
      source.connect(gain).connect(output.volume)
      source.start(at)
      return [letter, source, gain]
    })
    if (!began) began = performance.now()
    return true
  }
  async function hear(letter) {
    if (heard === letter) {
      silence()
      show()
      return
    }
    if (!playing.length && !(await start())) return
    heard = letter
    for (const [name, , gain] of playing)
      gain.gain.setTargetAtTime(name === letter ? 1 : 0, context.currentTime, FADE_S / 3)
    show()
  }
  function answer(value) {
    const seconds = began ? (performance.now() - began) / 1000 : 0
    silence()
    wishes += 1
    count += 1
    model.answered = [model.number, value, seconds, count]
  }

  const fault = made("p")
  fault.setAttribute("role", "alert")
  let buttons = new Map(),
    next = null
  function show() {
    for (const [letter, button] of buttons) button.setAttribute("aria-pressed", letter === heard ? "true" : "false")
  }
  const soundButton = (letter, words) => {
    const button = made("button", words ?? letter)
    button.setAttribute("aria-label", letter === "reference" ? "hear the reference" : `hear ${letter}`)
    button.addEventListener("click", () => hear(letter))
    buttons.set(letter, button)
    return button
  }
  const ready = (letters) => {
    next.disabled = letters.some((letter) => ratings[letter] === undefined)
  }

  function abx(letters) {
    const sounds = made("div", "", "sounds")
    for (const letter of letters) {
      const column = made("div", "", "sound")
      column.append(soundButton(letter))
      sounds.append(column)
    }
    const row = made("div", "", "row")
    row.append(made("span", "X is the same as"))
    for (const letter of ["A", "B"]) {
      const button = made("button", letter)
      button.setAttribute("aria-label", `X is ${letter}`)
      button.addEventListener("click", () => answer(letter))
      row.append(button)
    }
    return [sounds, row]
  }
  function rate(letters) {
    const sounds = made("div", "", "sounds")
    const named = made("div", "", "sound")
    named.append(soundButton("reference", "Reference"))
    const scale = made("div", "", "scale")
    for (const band of BANDS) scale.append(made("span", band))
    sounds.append(named, scale)
    for (const letter of letters) {
      const column = made("div", "", "sound"),
        slider = made("input"),
        number = made("output", "–")
      Object.assign(slider, { type: "range", min: 0, max: 100, step: 1, value: 50 })
      slider.setAttribute("aria-label", `rating of ${letter}`)
      const take = () => {
        ratings[letter] = Number(slider.value)
        number.textContent = slider.value
        ready(letters)
      }
      slider.addEventListener("input", take)
      slider.addEventListener("change", take)
      column.append(soundButton(letter), slider, number)
      sounds.append(column)
    }
    next = made("button", "Next", "main")
    next.addEventListener("click", () => answer({ ...ratings }))
    ready(letters)
    return [sounds, next]
  }
  function paint() {
    if (playing.length) silence()
    wishes += 1
    buttons = new Map()
    ratings = {}
    began = 0
    fault.textContent = ""
    if (!model.trials.length || model.number >= model.trials.length) {
      box.replaceChildren(...model.result.map((line) => made("p", line)))
      return
    }
    const letters = Object.keys(trial().sounds).filter((letter) => letter !== "reference")
    const head = made("div", "", "row"),
      progress = made("progress")
    Object.assign(progress, { max: model.trials.length, value: model.number })
    head.append(made("h2", model.title), progress, made("span", `trial ${model.number + 1} of ${model.trials.length}`))
    const words =
      model.kind === "abx"
        ? "Switch while it plays. X is A or B: which?"
        : "Rate each sound against the reference. One of them is the reference itself: rate it 100."
    box.replaceChildren(head, made("p", words), ...(model.kind === "abx" ? abx(letters) : rate(letters)), fault)
    box.querySelector(".sound button")?.focus({ preventScroll: true })
  }
  model.on("trials", paint)
  model.on("number", paint)
  model.on("result", paint)
  model.on("remove", () => {
    silence()
  })
  paint()
  return box
}
