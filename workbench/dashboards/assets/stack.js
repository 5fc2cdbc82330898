// Tracks stacked under one video: all play together on one clock, the chosen one is heard. See stack.py.

const LANES = ["track 1", "track 2", "track 3"]
const LOOK_MS = 150 // after the last letter, until the catalog is searched
const FAULT = "the tracks cannot be played; load the page again"

export function render({ model }) {
  const box = made("div", "", "stack"),
    send = sender(model)
  const ask = (what, which) => send("asked", what, which)

  let sound = null,
    master = null,
    chosen = null, // id of a track: rows move when one is removed
    at = 0,
    soundtrackOn = true,
    region = [], // [from, to] that is looped, s; empty for none
    playing = false,
    sought = null, // where it goes on as soon as that is loaded, s
    seeks = 0,
    frame = 0
  const videoPicture = new VideoPicture(() => {})
  const ready = (k) => Boolean(model.tracks[k]?.plan.cues)
  const playable = () => model.tracks.filter((track) => track.plan.cues)
  const first = () => playable().find((track) => track.own) ?? playable()[0]
  const isChosen = (k) => ready(k) && model.tracks[k].id === chosen
  function settle() {
    if (!LANES.some((_, k) => isChosen(k))) chosen = playable()[0]?.id ?? null
  }
  const inside = (seconds) => Math.min(Math.max(0, seconds), model.duration)
  const heardAt = (moment) => (playing && sound?.playing ? sound.heardAt(moment) : null)
  function fault(error) {
    console.warn(error)
    pause()
    tellFault(FAULT)
  }
  const speaks = () => model.speech.some(([from, to]) => from <= at && at < to)
  const meters = new Meters(() => playing && sound?.playing, speaks)
  function load() {
    if (!sound) return
    sound.set("soundtrack", model.soundtrack, null, [])
    LANES.forEach((lane, k) => {
      const track = model.tracks[k]
      if (ready(k)) sound.set(lane, track.music, track.plan, track.duck)
      else sound.set(lane, "", null, [])
    })
    settle()
    mix()
  }
  function mix() {
    if (!sound) return
    sound.level("soundtrack", soundtrackOn ? gainOf(model.soundtrack_db) : 0)
    LANES.forEach((lane, k) => sound.level(lane, isChosen(k) ? gainOf(model.tracks[k].gain_db) : 0))
    master.gain.setTargetAtTime(gainOf(model.headroom_db), sound.context.currentTime, SWITCH_S / 3)
  }
  async function play() {
    if (!first()) return
    const context = openOutput(first().plan.rate)
    if (sound?.context !== context) {
      sound?.stop()
      master = context.createGain()
      master.connect(output.volume)
      const sum = context.createGain() // before headroom and volume: as loud as a file of it would be
      sum.connect(master)
      sound = new Sound(context, ["soundtrack", ...LANES], sum)
      sound.fault = fault
      sound.speechBand = model.speech_band
      meters.measure(sound, sum).catch((error) => console.warn(error))
    }
    load()
    beginSounding(mine) // what else plays stops
    if (at >= model.duration - 0.05) at = region.length ? region[0] : 0
    playing = true
    const from = (sought = at),
      seek = ++seeks
    paint()
    await sound.context.resume()
    meters.clear()
    if (playing) await sound.start(from, region)
    if (seek === seeks) sought = null
    if (!playing || !sound.playing) return
    endFault(FAULT)
    videoPicture.follow(heardAt)
    tick()
  }
  function pause() {
    at = sought ?? heardAt(performance.now()) ?? at
    sought = null
    playing = false
    sound?.stop()
    endSounding(mine)
    videoPicture.show(at)
    paint()
  }
  const mine = { title: "Tracks", at: () => at, seconds: () => model.duration, stop: pause }
  function place(seconds) {
    at = inside(seconds)
    videoPicture.show(at)
    if (playing) play().catch(fault)
    else show()
  }
  function tick() {
    cancelAnimationFrame(frame)
    at = inside(sought ?? heardAt(performance.now()) ?? at)
    if (at >= model.duration && !region.length) pause()
    show()
    if (playing) frame = requestAnimationFrame(tick)
  }
  const toggle = () => (playing ? pause() : play().catch(fault))
  function choose(k) {
    if (!ready(k)) return
    chosen = model.tracks[k].id
    mix()
    paint()
  }

  const bar = made("div", "", "bar row"),
    home = button("|◀", "to the start (Home)", () => place(0)),
    played = button("▶", "play (space)", toggle, "play"),
    time = made("span", "", "at"),
    slider = made("input", "", "where")
  Object.assign(slider, { type: "range", min: 0, step: 0.1, ariaLabel: "where it plays, s" })
  slider.addEventListener("input", () => place(Number(slider.value)))

  const mute = button("M", "mute the video's soundtrack (f)", () => {
    if (!model.soundtrack) return
    soundtrackOn = !soundtrackOn
    mix()
    paint()
  })
  const soundtrack = made("span", "", "group")
  soundtrack.append(made("span", "soundtrack", "name"), mute)
  const loop = loopButton({
    title: "loop around the playhead (r)",
    at: () => at,
    seconds: () => model.duration,
    region: () => region,
    loop: (wanted) => {
      region = wanted
      loop.paint()
      if (playing) play().catch(fault)
    },
  })
  const volume = volumeSlider(model)
  const help = keysButton([
    ["space", "play or stop"],
    ["1 2 3", "hear the first, the second or the third track at the same place"],
    ["← →", "a second back or on"],
    ["Home", "to the start"],
    ["f", "mute the video's soundtrack"],
    ["r", "loop around the playhead, or stop looping"],
    ["?", "this list"],
  ])
  bar.setAttribute("role", "toolbar")
  bar.setAttribute("aria-label", "play the tracks")
  bar.append(home, played, time, soundtrack, loop.button, volume, meters.box, help.box)
  const rows = made("div", "", "rows"),
    adds = made("div", "", "adds row"),
    field = made("input"),
    found = made("div", "", "found"),
    hint = made("p", `Up to ${LANES.length} tracks play together under the video; 1, 2 and 3 switch what is heard.`)
  Object.assign(field, {
    type: "search",
    placeholder: "a track of the catalog",
    ariaLabel: "compare a track of the catalog",
  })
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
    time.textContent = `${clock(at)} / ${clock(model.duration)}`
    slider.max = model.duration
    slider.value = at
  }
  function paint() {
    settle()
    played.textContent = playing ? "❚❚" : "▶"
    played.ariaLabel = played.title = playing ? "pause (space)" : "play (space)"
    played.disabled = !first()
    press(mute, !soundtrackOn)
    soundtrack.style.display = model.soundtrack ? "" : "none"
    rows.replaceChildren(
      ...model.tracks.map((track, k) => {
        const row = made("div", "", "row")
        const hear = button(`${k + 1}  ${track.title}`, `hear ${track.title} (${k + 1})`, () => choose(k), "hear")
        press(hear, isChosen(k))
        hear.disabled = !ready(k)
        // where its seams are, under the slider; the words have their number
        const seams = made("div", "", "seams")
        seams.setAttribute("aria-hidden", "true")
        for (const [n, second] of track.seams.entries()) {
          const seam = made("i")
          seam.style.left = `${(100 * second) / Math.max(model.duration, 0.001)}%`
          seam.title = `seam ${n + 1}, ${clock(second)}`
          seams.append(seam)
        }
        row.append(hear, made("span", track.words, "words"))
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
    loop.paint()
    meters.box.hideSpeech(!model.speech.length)
    hint.hidden = model.tracks.length > 1
    adds.hidden = model.tracks.length >= LANES.length
    show()
  }
  const screen = made("div", "", "screen")
  screen.append(videoPicture.element)
  box.append(screen, bar, slider, rows, adds)

  const keys = {
    " ": toggle,
    ArrowLeft: () => place(at - 1),
    ArrowRight: () => place(at + 1),
    Home: () => place(0),
    1: () => choose(0),
    2: () => choose(1),
    3: () => choose(2),
    f: () => mute.click(),
    r: loop.toggle,
    "?": help.toggle,
    Escape: help.close,
  }
  listenToKeys(model, box, ({ key }) => keys[key])
  model.on("tracks", () => {
    if (playing && !first()) pause()
    load()
    paint()
  })
  model.on(["soundtrack", "soundtrack_db", "headroom_db"], load)
  model.on(["soundtrack", "speech"], paint)
  model.on("duration", () => {
    paint() // the seams lie by it
    if (region.length && model.duration && region[1] > model.duration) {
      region = [] // of a longer video
      loop.paint()
    }
    show()
  })
  model.on("found", showFound)
  const showVideo = () =>
    videoPicture.open(model.video_url, () => {
      videoPicture.element.hidden = true // the browser cannot play it
    })
  model.on("video_url", showVideo)
  model.on("remove", () => {
    pause()
    videoPicture.close()
    clearTimeout(looking)
  })
  box.stack = {
    heard: () => (playing && sound.playing ? [LANES.findIndex((_, k) => isChosen(k)), sound.position()] : null),
    soundtrackGain: () => sound.lanes.soundtrack.gain.gain.value,
  }
  showVideo()
  paint()
  return box
}
