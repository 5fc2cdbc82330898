// A blind test: one trial after the other. All sounds of a trial run together in a loop, of which one is heard, so that
// switching is at the same place. What a letter hides is not known here. An answer is taken once what it is about was
// heard; the next trial is asked at once, and if the server cannot keep an answer, its trial is asked again.
const FADE_S = 0.01
const STEPS = ["much better", "better", "slightly better"] // of a preference, before "equal"
const LONG_S = 20 // from which on a sound has a place to go to
const BANDS = ["excellent", "good", "fair", "poor", "bad"] // of 20 points each, from 100 down

export function render({ model }) {
  const box = made("section", "", "blind")
  const ask = asker(model)
  let context = null,
    number = model.number, // of the trial that is asked here; the server's follows
    playing = [], // [letter, source, gain]
    starting = false,
    chosen = "", // the letter that sounds, or will as soon as it is loaded
    listened = new Set(), // letters that have sounded in this trial
    began = 0,
    wishes = 0,
    place = null, // the slider of where a long sound plays
    from = 0,
    lasts = 0,
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
  const trial = () => model.trials[number]
  function silence() {
    for (const [, source, gain] of playing) {
      gain.gain.setTargetAtTime(0, context.currentTime, FADE_S / 3)
      source.stop(context.currentTime + 4 * FADE_S)
    }
    playing = []
    chosen = ""
    endSounding(mine)
  }
  const fetched = new Map() // by address: its bytes, on their way or here
  const bytesOf = (url) => {
    if (!fetched.has(url)) {
      const coming = fetch(url).then((response) => {
        if (!response.ok) throw new Error(`${url}: ${response.status}`)
        return response.arrayBuffer()
      })
      coming.catch(() => fetched.delete(url))
      fetched.set(url, coming)
    }
    return fetched.get(url)
  }
  const bufferOf = async (url) => context.decodeAudioData((await bytesOf(url)).slice(0))
  async function start(wish) {
    context = openOutput()
    const letters = Object.entries(trial().sounds)
    let buffers = []
    try {
      buffers = await Promise.all(letters.map(([, url]) => bufferOf(url)))
      context = openOutput() // another player may have asked for another rate meanwhile
      await context.resume()
    } catch (error) {
      console.warn(error)
      if (wish === wishes) fault.textContent = "These sounds cannot be played; begin the test again."
      return false
    }
    if (wish !== wishes) return false
    beginSounding(mine)
    lasts = buffers[0].duration
    play(
      letters.map(([letter], k) => [letter, buffers[k]]),
      0,
    )
    if (!began) began = performance.now()
    return true
  }
  /** Let all sounds run from a place on, silent. */
  function play(sounds, offset) {
    const at = context.currentTime + 0.02
    from = at - offset
    playing = sounds.map(([letter, buffer]) => {
      const source = context.createBufferSource(),
        gain = context.createGain()
      Object.assign(source, { buffer, loop: true })
      gain.gain.value = 0
      source.connect(gain).connect(output.volume)
      source.start(at, offset)
      return [letter, source, gain]
    })
  }
  /** Hear what is heard from another place on. */
  function go(offset) {
    const letter = chosen
    const sounds = playing.map(([name, source]) => [name, source.buffer])
    if (!sounds.length) return
    silence()
    beginSounding(mine)
    play(sounds, offset)
    hear(letter)
  }
  /** Hear a letter, or stop it; what is chosen while the sounds are loaded is heard as soon as they are. */
  async function hear(letter) {
    if (chosen === letter && playing.length) {
      silence()
      show()
      return
    }
    chosen = letter
    show()
    if (starting) return
    if (!playing.length) {
      starting = true
      const wish = ++wishes
      const started = await start(wish)
      if (wish !== wishes) return // another trial has its own sounds
      starting = false
      if (!started) {
        chosen = ""
        show()
        return
      }
    }
    listened.add(chosen)
    for (const [name, , gain] of playing)
      gain.gain.setTargetAtTime(name === chosen ? 1 : 0, context.currentTime, FADE_S / 3)
    show()
  }
  function answer(value) {
    const seconds = began ? (performance.now() - began) / 1000 : 0
    ask(number, value, seconds)
    number += 1
    paint()
  }

  const fault = made("p")
  fault.setAttribute("role", "alert")
  let buttons = new Map(),
    ready = () => {}
  function show() {
    for (const [letter, sounds] of buttons) press(sounds, letter === chosen)
    ready()
  }
  const soundButton = (letter, words) => {
    const label = letter === "reference" ? "hear the reference" : `hear ${letter}`
    buttons.set(
      letter,
      button(words ?? letter, label, () => hear(letter)),
    )
    return buttons.get(letter)
  }
  const soundButtons = (letters) => {
    const sounds = made("div", "", "sounds")
    for (const letter of letters) {
      const column = made("div", "", "sound")
      column.append(soundButton(letter))
      sounds.append(column)
    }
    return sounds
  }
  function abx(letters) {
    const row = made("div", "", "row"),
      waits = made("span", "Hear X, and A or B.")
    row.append(made("span", "X is the same as"))
    const choices = ["A", "B"].map((letter) => button(letter, `X is ${letter}`, () => answer(letter)))
    row.append(...choices, waits)
    ready = () => {
      const heard = listened.has("X") && (listened.has("A") || listened.has("B"))
      for (const choice of choices) choice.disabled = !heard
      waits.hidden = heard
    }
    return [soundButtons(letters), row]
  }
  function prefer(letters) {
    const row = made("div", "", "row steps"),
      waits = made("span", "Hear A and B.")
    place = madeInput({ type: "range", min: 0, max: 1, step: 0.1, value: 0, className: "place", hidden: true })
    place.ariaLabel = "where it plays"
    place.addEventListener("input", () => go(Number(place.value)))
    const choices = [...STEPS.map((step) => `A ${step}`), "equal", ...STEPS.toReversed().map((step) => `B ${step}`)]
    const steps = choices.map((words, k) => button(words, "", () => answer(k - STEPS.length)))
    row.append(...steps, waits)
    ready = () => {
      const heard = letters.every((letter) => listened.has(letter))
      for (const step of steps) step.disabled = !heard
      waits.hidden = heard
    }
    return [soundButtons(letters), place, row]
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
        slider = madeInput({ type: "range", min: 0, max: 100, step: 1, value: 50, ariaLabel: `rating of ${letter}` }),
        shown = made("output", "–")
      const take = () => {
        ratings[letter] = Number(slider.value)
        shown.textContent = slider.value
        ready()
      }
      slider.addEventListener("input", take)
      slider.addEventListener("change", take)
      // Where it stands already is a rating too, once it is pressed there: then nothing changes.
      slider.addEventListener("click", take)
      slider.addEventListener("keydown", (event) => {
        if (event.key === "Enter") take()
      })
      column.append(soundButton(letter), slider, shown)
      sounds.append(column)
    }
    const row = made("div", "", "row"),
      next = button("Next", "", () => answer({ ...ratings }), "main"),
      waits = made("span")
    row.append(next, waits)
    ready = () => {
      const left = letters.filter((letter) => !listened.has(letter) || ratings[letter] === undefined)
      next.disabled = left.length > 0
      waits.textContent = left.length ? `Hear and rate ${left.join(", ")}.` : ""
    }
    return [sounds, row]
  }
  const KINDS = {
    abx: ["Switch while it plays. X is A or B: which?", abx],
    preference: ["Switch while it plays. Which is better, and by how much?", prefer],
    mushra: ["Rate each sound against the reference. One of them is the reference itself: rate it 100.", rate],
  }
  function paint() {
    if (playing.length) silence()
    wishes += 1
    starting = false
    chosen = ""
    listened = new Set()
    place = null
    buttons = new Map()
    ready = () => {}
    ratings = {}
    began = 0
    fault.textContent = ""
    if (number >= model.trials.length) {
      const lines = model.trials.length && !model.result.length ? ["Your answers are being counted."] : model.result
      box.replaceChildren(...lines.map((line) => made("p", line)))
      return
    }
    const letters = Object.keys(trial().sounds).filter((letter) => letter !== "reference")
    const head = made("div", "", "row"),
      progress = made("progress")
    Object.assign(progress, { max: model.trials.length, value: number })
    head.append(made("h2", model.title), progress, made("span", `trial ${number + 1} of ${model.trials.length}`))
    const [words, asks] = KINDS[model.kind]
    box.replaceChildren(head, made("p", words), ...asks(letters), fault)
    show()
    // So that they sound at once: of this trial and of the next, but for options, which may be whole and large.
    const ahead = model.kind === "preference" ? 1 : 2
    const urls = model.trials.slice(number, number + ahead).flatMap(({ sounds }) => Object.values(sounds))
    for (const url of fetched.keys()) if (!urls.includes(url)) fetched.delete(url)
    for (const url of urls) bytesOf(url)
    box.querySelector(".sound button")?.focus({ preventScroll: true })
  }
  const follow = () => {
    if (number === model.number) return // what was clicked meanwhile stays
    number = model.number
    paint()
  }
  model.on("trials", () => {
    number = 0
    paint()
  })
  model.on("refused", follow)
  model.on("result", paint)
  const following = setInterval(() => {
    if (place && playing.length) Object.assign(place, { hidden: lasts < LONG_S, max: lasts, value: mine.at() })
  }, 250)
  model.on("remove", () => {
    clearInterval(following)
    silence()
  })
  paint()
  return box
}
