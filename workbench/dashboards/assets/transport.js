// One transport: three audio elements on one clock, gains in between, a playhead. See transport.py for why.

const TELL_MS = 250 // between two reports of the time to the server
const NEAR_S = 0.06 // an element may be this far from the first one
const FADE_S = 0.02 // of switching, muting and matching
const FLOOR_DB = -100

const gainOf = (db) => (db <= FLOOR_DB ? 0 : Math.pow(10, db / 20))
const clock = (s) => {
  const sign = s < 0 ? "-" : ""
  const tenths = Math.round(Math.abs(s) * 10)
  const minutes = Math.floor(tenths / 600)
  return `${sign}${minutes}:${((tenths - minutes * 600) / 10).toFixed(1).padStart(4, "0")}`
}

function attenuationAt(points, time) {
  if (!points.length) return 0
  if (time <= points[0][0]) return points[0][1]
  for (let i = 1; i < points.length; i++) {
    if (time <= points[i][0]) {
      const [t0, d0] = points[i - 1],
        [t1, d1] = points[i]
      return d0 + ((d1 - d0) * (time - t0)) / Math.max(1e-9, t1 - t0)
    }
  }
  return points[points.length - 1][1]
}

class Lane {
  constructor(context, out) {
    this.element = new Audio()
    this.element.preload = "auto"
    this.duck = context.createGain()
    this.gain = context.createGain()
    this.gain.gain.value = 0
    context.createMediaElementSource(this.element).connect(this.duck)
    this.duck.connect(this.gain)
    this.gain.connect(out)
    this.context = context
    this.url = ""
    this.points = []
    this.loud = false
  }
  open(url) {
    if (url === this.url) return
    this.url = url
    if (url) this.element.src = url
    else this.element.removeAttribute("src")
    if (!url) this.element.load()
  }
  set(db, on) {
    this.loud = on && !!this.url
    this.gain.gain.setTargetAtTime(this.loud ? gainOf(db) : 0, this.context.currentTime, FADE_S / 3)
  }
  schedule(playing) {
    const now = this.context.currentTime,
      at = this.element.currentTime,
      value = this.duck.gain
    value.cancelScheduledValues(now)
    value.setValueAtTime(gainOf(-attenuationAt(this.points, at)), now)
    if (!playing) return
    for (const [time, db] of this.points) {
      // an exponential ramp of the gain is a straight line in dB
      if (time > at) value.exponentialRampToValueAtTime(gainOf(-db), now + time - at)
    }
  }
}

export function render({ model }) {
  const bar = document.createElement("div")
  bar.className = "bar"
  bar.setAttribute("role", "toolbar")
  bar.setAttribute("aria-label", "transport")
  const button = (text, title, act, kind = "") => {
    const b = document.createElement("button")
    b.textContent = text
    b.title = title
    b.setAttribute("aria-label", title)
    b.className = kind
    b.addEventListener("click", act)
    return b
  }
  const group = (name, ...parts) => {
    const g = document.createElement("span")
    g.className = "group"
    if (name) {
      const n = document.createElement("span")
      n.className = "name"
      n.textContent = name
      g.append(n)
    }
    g.append(...parts)
    return g
  }

  let context = null,
    lanes = null,
    master = null,
    solo = "",
    frame = 0,
    told = 0,
    spans = null
  let at = model.time
  const heardLane = () =>
    lanes && (model.soundtrack ? lanes.soundtrack : model.chosen === "b" && model.music_b ? lanes.b : lanes.a)

  function start() {
    if (context) return
    context = new AudioContext()
    master = context.createGain()
    master.connect(context.destination)
    lanes = { soundtrack: new Lane(context, master), a: new Lane(context, master), b: new Lane(context, master) }
    for (const lane of Object.values(lanes))
      lane.element.addEventListener("ended", () => {
        if (lane === heardLane()) pause()
      })
    load()
  }
  function load() {
    if (!lanes) return
    const was = at
    lanes.soundtrack.open(model.soundtrack)
    lanes.a.open(model.music_a)
    lanes.b.open(model.music_b)
    place(was)
    mix()
    if (model.playing) resume()
  }
  function mix() {
    if (!lanes) return
    const soundtrack = solo ? solo === "soundtrack" : model.soundtrack_on
    const music = solo ? solo === "music" : model.music_on
    lanes.soundtrack.set(model.soundtrack_db, soundtrack)
    lanes.a.set(model.gain_a_db + model.match_a_db, music && model.chosen === "a")
    lanes.b.set(model.gain_b_db + model.match_b_db, music && model.chosen === "b")
    lanes.a.points = model.duck_a
    lanes.b.points = model.duck_b
    for (const lane of Object.values(lanes)) lane.schedule(model.playing)
    master.gain.setTargetAtTime(gainOf(model.headroom_db) * volume.value, context.currentTime, FADE_S / 3)
  }
  function place(seconds) {
    at = Math.min(Math.max(0, seconds), model.duration || Infinity)
    if (lanes) for (const lane of Object.values(lanes)) if (lane.url) lane.element.currentTime = at
    if (lanes) for (const lane of Object.values(lanes)) lane.schedule(model.playing)
    show(true)
  }
  function resume() {
    for (const lane of Object.values(lanes)) if (lane.url) lane.element.play().catch(cannotPlay)
    for (const lane of Object.values(lanes)) lane.schedule(true)
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(tick)
  }
  function cannotPlay(error) {
    if (error.name === "AbortError") return // stopped, or given another file, before it had begun
    console.warn(error)
    pause()
    window.dispatchEvent(
      new CustomEvent("workbench-fault", { detail: "the sound cannot be played; load the page again" }),
    )
  }
  async function play() {
    start()
    await context.resume()
    if (at >= model.duration - 0.05) place(model.region.length ? model.region[0] : 0)
    model.playing = true
    resume()
    paint()
  }
  function pause() {
    model.playing = false
    if (lanes)
      for (const lane of Object.values(lanes)) {
        lane.element.pause()
        lane.element.playbackRate = 1
        lane.schedule(false)
      }
    cancelAnimationFrame(frame)
    show(true)
    paint()
  }
  function tick() {
    const first = heardLane()
    if (first && first.url && !first.element.seeking) {
      at = first.element.currentTime
      for (const lane of Object.values(lanes)) {
        if (lane === first || !lane.url || lane.element.seeking) continue
        const off = lane.element.currentTime - at
        if (Math.abs(off) > 0.5 || (Math.abs(off) > NEAR_S && !lane.loud)) lane.element.currentTime = at
        else lane.element.playbackRate = Math.abs(off) > NEAR_S / 3 ? (off > 0 ? 0.995 : 1.005) : 1
      }
      const [from, to] = model.region
      if (to !== undefined && (at >= to || at < from - 0.3)) place(from)
    }
    show(false)
    if (model.playing) frame = requestAnimationFrame(tick)
  }
  function find() {
    const found = []
    for (const doc of window.Bokeh?.documents ?? []) {
      for (const name of model.playheads) {
        const span = doc.get_model_by_name(name)
        if (span) found.push(span)
      }
    }
    return found
  }
  function show(tell) {
    time.textContent = `${clock(at)} / ${clock(model.duration)}`
    if (!spans || spans.length !== model.playheads.length) spans = find()
    // not synced: the server learns the time from `time`, four times a second
    for (const span of spans) span.setv({ location: at }, { sync: false })
    const now = performance.now()
    if (tell || now - told > TELL_MS) {
      told = now
      model.time = at
    }
  }
  function paint() {
    playing.textContent = model.playing ? "❚❚" : "▶"
    playing.setAttribute("aria-label", model.playing ? "pause (space)" : "play (space)")
    const pressed = (b, on) => b.setAttribute("aria-pressed", on ? "true" : "false")
    pressed(soundtrackOn, model.soundtrack_on)
    pressed(musicOn, model.music_on)
    pressed(soundtrackSolo, solo === "soundtrack")
    pressed(musicSolo, solo === "music")
    pressed(a, model.chosen === "a")
    pressed(b, model.chosen === "b")
    a.textContent = model.labels[0]
    b.textContent = model.labels[1]
    pressed(loop, model.region.length === 2)
    soundtrackGroup.style.display = model.soundtrack ? "" : "none"
    choice.style.display = model.music_b ? "" : "none"
    const match = model.chosen === "a" ? model.match_a_db : model.match_b_db
    said.textContent = model.music_b && match < -0.05 ? `level-matched ${match.toFixed(1)} dB` : ""
    loop.textContent = model.region.length === 2 ? `Loop ${clock(model.region[0])}–${clock(model.region[1])}` : "Loop"
  }
  const toggleSolo = (name) => {
    solo = solo === name ? "" : name
    mix()
    paint()
  }
  const choose = (name) => {
    if (name === "b" && !model.music_b) return
    model.chosen = name
    mix()
    paint()
  }
  const playOrPause = () => {
    if (model.playing) pause()
    else play().catch(cannotPlay)
  }
  const toggleLoop = () => {
    if (model.region.length) model.region = []
    else model.region = [Math.max(0, at - 2), Math.min(model.duration, at + 6)]
  }

  const playing = button("▶", "play (space)", () => playOrPause(), "play")
  const home = button("|◀", "to the start (Home)", () => place(0))
  const time = document.createElement("span")
  time.className = "time"
  const soundtrackOn = button("on", "soundtrack on or off (f)", () => {
    model.soundtrack_on = !model.soundtrack_on
  })
  const soundtrackSolo = button("solo", "only the soundtrack", () => toggleSolo("soundtrack"))
  const musicOn = button("on", "music on or off (m)", () => {
    model.music_on = !model.music_on
  })
  const musicSolo = button("solo", "only the music", () => toggleSolo("music"))
  const a = button("A", "option A (a)", () => choose("a"))
  const b = button("B", "option B at the same place (b)", () => choose("b"))
  const loop = button("Loop", "loop around the playhead, or drag over the picture (l)", toggleLoop)
  const volume = document.createElement("input")
  Object.assign(volume, { type: "range", min: 0, max: 1, step: 0.01, value: 1, title: "volume" })
  volume.setAttribute("aria-label", "volume")
  volume.addEventListener("input", mix)
  const said = document.createElement("span")
  said.className = "said"
  const soundtrackGroup = group("soundtrack", soundtrackOn, soundtrackSolo)
  const choice = group("compare", a, b)
  const help = keysButton([
    ["space", "play or stop, whatever has the focus, save a field or a tick box; Enter presses a button"],
    ["← →", "a second back or on; five with shift, a tenth with ctrl"],
    ["Home End", "to the start, to the end"],
    ["l", "loop around the playhead, or stop looping; dragging over the picture loops what was dragged over"],
    ["m f", "music on or off, soundtrack on or off"],
    ["a b", "hear option A or B at the same place"],
    ["?", "this list"],
    ["Tab", "to the next control; arrows move a slider, and the tabs where a tab has the focus"],
  ])
  bar.append(
    home,
    playing,
    time,
    soundtrackGroup,
    group("music", musicOn, musicSolo),
    choice,
    loop,
    volume,
    said,
    help.box,
  )

  const keys = {
    " ": playOrPause,
    ArrowLeft: (e) => place(at - (e.shiftKey ? 5 : e.ctrlKey ? 0.1 : 1)),
    ArrowRight: (e) => place(at + (e.shiftKey ? 5 : e.ctrlKey ? 0.1 : 1)),
    Home: () => place(0),
    End: () => place(model.duration),
    m: () => {
      model.music_on = !model.music_on
    },
    f: () => {
      model.soundtrack_on = !model.soundtrack_on
    },
    a: () => choose("a"),
    b: () => choose("b"),
    l: toggleLoop,
    "?": help.toggle,
    Escape: help.close,
  }
  const onKey = (event) => {
    if (!bar.isConnected || !bar.offsetParent || !keyIsFree(event)) return
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    if (!act) return
    event.preventDefault()
    act(event)
  }
  const onSeek = (event) => {
    if (bar.isConnected) place(event.detail)
  }
  const onRegion = (event) => {
    if (bar.isConnected) {
      model.region = event.detail
      place(event.detail[0])
    }
  }
  const deafen = listenToKeys(onKey)
  window.addEventListener("workbench-seek", onSeek)
  window.addEventListener("workbench-region", onRegion)

  for (const name of ["soundtrack", "music_a", "music_b"])
    model.on(name, () => {
      load()
      paint()
    })
  for (const name of [
    "soundtrack_on",
    "music_on",
    "chosen",
    "soundtrack_db",
    "gain_a_db",
    "gain_b_db",
    "match_a_db",
    "match_b_db",
    "headroom_db",
    "duck_a",
    "duck_b",
  ])
    model.on(name, () => {
      mix()
      paint()
    })
  model.on("region", paint)
  model.on("labels", paint)
  model.on("duration", () => show(false))
  model.on("seek", () => {
    if (model.seek.length) place(model.seek[0])
  })
  model.on("playheads", () => {
    spans = null
    show(false)
  })
  model.on("remove", () => {
    pause()
    deafen()
    window.removeEventListener("workbench-seek", onSeek)
    window.removeEventListener("workbench-region", onRegion)
    context?.close()
  })
  paint()
  show(false)
  return bar
}
