// One transport: soundtrack and up to three options on one clock, gains in between, the picture and a playhead that follow.
// See transport.py for why.

const TELL_MS = 250 // between two reports of the time to the server
const FASTEST = 8 // times as fast, by pressing J or L again
const ZOOM = 2 // of one press
const OPTIONS = ["a", "b", "c"]
const LANES = ["soundtrack", ...OPTIONS.map((name) => `music_${name}`)]
const BEFORE_S = 2, // that are looped before the playhead, and after it
  AFTER_S = 6
const SWITCH_S = 0.02 // of switching, muting and matching
const FAULT = "the sound cannot be played; load the page again"

export function render({ model }) {
  const bar = made("div", "", "bar row")
  bar.setAttribute("role", "toolbar")
  bar.setAttribute("aria-label", "transport")

  const group = (name, ...parts) => {
    const g = made("span", "", "group")
    if (name) g.append(made("span", name, "name"))
    g.append(...parts)
    return g
  }

  const player = { sound: null, master: null, at: model.time, seek: model.seek[1] ?? 0 }
  let sought = null, // where it goes on as soon as that is loaded, s
    begins = 0
  let frame = 0,
    told = 0,
    spans = null,
    shuttle = null // {speed, at, since}: where and when it began to run at another speed, without sound
  const videoPicture = new VideoPicture(() => toggleFullScreen())
  const rates = new Map() // by address, Hz
  const first = () => OPTIONS.find((name) => model[`music_${name}`]) ?? "a"
  const music = () => model[`music_${first()}`] || model.soundtrack
  const rate = () => model[`plan_${first()}`].rate ?? rates.get(music()) ?? 44100
  const rateIsKnown = () => !music() || Boolean(planOf(first())) || rates.has(music())
  async function knowRate() {
    const url = music()
    if (!rateIsKnown()) rates.set(url, (await new Recording(url).open()).rate)
  }
  const inside = (seconds) => Math.min(Math.max(0, seconds), model.duration || Infinity)

  function start() {
    // At the rate of the music, so that every sample of it is played as it is.
    const context = openOutput(rate())
    if (player.sound?.context === context) {
      load() // what could not be loaded before may be there now
      return
    }
    player.sound?.stop()
    player.master = context.createGain()
    player.master.connect(output.volume)
    const sum = context.createGain() // before headroom and volume: as loud as a file of it would be
    sum.connect(player.master)
    player.sound = new Sound(context, LANES, sum)
    player.sound.fault = cannotPlay
    player.sound.speechBand = model.speech_band
    meters.measure(player.sound, sum).catch((error) => console.warn(error))
    load()
  }
  const speaks = () => model.speech.some(([from, to]) => from <= player.at && player.at < to)
  const meters = new Meters(() => playsHere(), speaks)
  function load() {
    if (!player.sound) return
    if (!rateIsKnown()) {
      // Where nobody wants to hear it yet, it is tried again when somebody does.
      knowRate()
        .then(load)
        .catch((error) => (model.playing ? cannotPlay(error) : console.warn(error)))
      return
    }
    if (player.sound.context !== output.context || player.sound.context.sampleRate !== rate()) {
      if (model.playing) play().catch(cannotPlay)
      return
    }
    player.sound.set("soundtrack", model.soundtrack, null, [])
    for (const name of OPTIONS)
      player.sound.set(`music_${name}`, model[`music_${name}`], planOf(name), model[`duck_${name}`])
    mix()
  }
  const planOf = (name) => (model[`plan_${name}`].cues ? model[`plan_${name}`] : null)
  const matchOf = (name) => model[`match_${name}_db`] ?? 0
  function mix() {
    const { sound, master } = player
    if (!sound) return
    sound.level("soundtrack", model.soundtrack_on ? gainOf(model.soundtrack_db) : 0)
    for (const name of OPTIONS)
      sound.level(
        `music_${name}`,
        model.music_on && model.chosen === name ? gainOf(model[`gain_${name}_db`] + matchOf(name)) : 0,
      )
    master.gain.setTargetAtTime(gainOf(model.headroom_db), sound.context.currentTime, SWITCH_S / 3)
  }
  const playsHere = () => model.playing && player.sound?.playing
  /** What sounds by itself, such as a seam. */
  const other = () => (output.sounding === mine ? null : output.sounding)
  function heard() {
    if (shuttle) return inside(shuttle.at + (shuttle.speed * (performance.now() - shuttle.since)) / 1000)
    if (sought !== null) return sought
    return playsHere() ? inside(player.sound.heardAt(performance.now())) : player.at
  }
  function place(seconds) {
    player.at = inside(seconds)
    if (shuttle) shuttle = { ...shuttle, at: player.at, since: performance.now() }
    videoPicture.show(player.at)
    if (shuttle) videoPicture.runAt(shuttle.speed, heard)
    show(true)
    if (!shuttle && model.playing && player.sound) begin().catch(cannotPlay)
  }
  function cannotPlay(error) {
    console.warn(error)
    pause()
    tellFault(FAULT)
  }
  async function play() {
    endShuttle()
    await knowRate()
    start()
    beginSounding(mine)
    if (player.at >= model.duration - 0.05) player.at = model.region.length ? model.region[0] : 0
    model.playing = true
    paint()
    await player.sound.context.resume()
    if (!model.playing) return // stopped while the sound was being prepared
    await begin()
  }
  /** Let sound and picture run from where one is. */
  async function begin() {
    meters.clear()
    const begun = ++begins
    sought = player.at
    await player.sound.start(player.at, model.region)
    if (begun === begins) sought = null
    if (!playsHere()) return // it was stopped while the sound was loaded
    endFault(FAULT)
    run()
  }
  function run() {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(tick)
    if (!shuttle) videoPicture.follow((at) => (playsHere() ? player.sound.heardAt(at) : null))
  }
  function pause() {
    endShuttle()
    if (playsHere()) player.at = heard()
    sought = null
    show(true) // before it stops: then the server may load something else
    model.playing = false
    player.sound?.stop()
    endSounding(mine)
    cancelAnimationFrame(frame)
    videoPicture.show(player.at)
    paint()
  }
  /** Run at another speed, back or on; there is no sound at these. */
  function runAt(speed) {
    player.at = heard()
    if (model.playing) pause()
    shuttle = { speed, at: player.at, since: performance.now() }
    beginSounding(mine)
    videoPicture.runAt(speed, heard)
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(tick)
    paint()
  }
  function endShuttle() {
    if (!shuttle) return
    player.at = heard()
    shuttle = null
    endSounding(mine)
    videoPicture.show(player.at)
    paint()
  }
  function faster(sign) {
    const speed = shuttle?.speed ?? (model.playing ? 1 : 0)
    if (sign > 0 && speed <= 0) {
      play().catch(cannotPlay)
      return
    }
    runAt(speed * sign <= 0 ? sign : sign * Math.min(FASTEST, 2 * Math.abs(speed)))
  }
  function step(count) {
    if (model.playing || shuttle) pause()
    // To the middle of the picture, so that rounding never shows the one beside it.
    const picture = Math.floor(player.at * model.fps + 1e-6)
    place((picture + count + 0.5) / model.fps)
  }
  function toggleFullScreen() {
    if (document.fullscreenElement) document.exitFullscreen()
    else if (model.video_url) box.requestFullscreen().catch((error) => console.warn(error))
  }
  function tick() {
    if (other()) {
      show(false)
      frame = requestAnimationFrame(tick)
      return
    }
    const at = heard()
    player.at = at
    const ends = shuttle?.speed < 0 ? at <= 0 : at >= model.duration
    const loops = model.region.length === 2 && !shuttle
    if (ends && !loops) pause()
    show(false)
    if (model.playing || shuttle) frame = requestAnimationFrame(tick)
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
    const at = player.at
    const by = other()
    time.textContent = by ? `${clock(by.at())} / ${clock(by.seconds())}` : `${clock(at)} / ${clock(model.duration)}`
    ofTrack.hidden = !model.of_track || by !== null
    code.textContent = timecode(by ? by.at() : at, model.fps)
    if (!spans || spans.length !== model.playheads.length) spans = find()
    // not synced: the server learns the time from `time`, four times a second
    for (const span of spans) span.setv({ location: at }, { sync: false })
    const now = performance.now()
    if (tell || now - told > TELL_MS) {
      told = now
      model.told = [player.seek, at]
    }
  }
  function paint() {
    const by = other(),
      sounds = model.playing || by !== null
    playing.textContent = sounds ? "❚❚" : "▶"
    playing.setAttribute("aria-label", sounds ? "pause (space)" : "play (space)")
    const nothing = !sounds && !model.duration // in a tab that plays by itself, the plan may not have been opened yet
    for (const b of [home, playing, loop]) b.disabled = nothing
    playing.title = nothing
      ? `there is nothing to play yet${model.own_keys ? ": the tab Plan loads the plan" : ""}`
      : playing.ariaLabel
    screen.hidden = !model.video_shown
    screen.classList.toggle("small", model.zooms)
    videoPicture.element.hidden = !model.video_url
    videoPicture.cover(model.still)
    code.hidden = !model.video_url
    source.textContent = by ? by.title : model.here && model.title
    hearHere.hidden = !model.here || by !== null
    hearHere.textContent = hearHere.ariaLabel = `Hear ${model.here}`
    help.box.hidden = model.own_keys // that tab has its own list
    zooms.style.display = model.zooms ? "" : "none"
    press(soundtrackOn, !model.soundtrack_on)
    press(musicOn, !model.music_on)
    press(a, model.chosen === "a")
    press(b, model.chosen === "b")
    if (model.labels.length) [a.textContent, b.textContent] = model.labels
    const [from, to] = model.region
    press(loop, model.region.length === 2)
    loop.textContent = model.region.length === 2 ? `Loop ${clock(from)}–${clock(to)}` : "Loop"
    soundtrackGroup.style.display = model.soundtrack ? "" : "none"
    meters.box.hideSpeech(!model.speech.length)
    choice.style.display = model.music_b && model.labels.length ? "" : "none"
    const match = matchOf(model.chosen)
    said.textContent = model.music_b && match < -0.05 ? `level-matched ${match.toFixed(1)} dB` : ""
  }
  const choose = (name) => {
    if (name !== "a" && !model[`music_${name}`]) return
    model.chosen = name
    mix()
    paint()
  }
  /** Zoom the figures that are seen by a factor, at the playhead where it is theirs; 0 shows all. See figures.js. */
  const zoom = (by) => {
    const detail = { by, at: model.here ? null : heard(), done: new Set() }
    window.dispatchEvent(new CustomEvent("workbench-zoom", { detail }))
  }
  const hearThis = (at) => sender(model)("asked", at)
  const mute = (name) => {
    model[`${name}_on`] = !model[`${name}_on`]
  }
  const playOrPause = () => {
    if (other()) other().stop()
    else if (model.playing || shuttle) pause()
    else play().catch(cannotPlay)
  }

  const playing = button("▶", "play (space)", () => playOrPause(), "play")
  const home = button("|◀", "to the start (Home)", () => place(0))
  const time = made("span", "", "time"),
    ofTrack = made("span", "of the track", "name")
  const code = button(
    "",
    "copy the time code",
    () => {
      said.textContent = copyText(code.textContent)
        ? `copied ${code.textContent}`
        : "the browser does not let it be copied"
    },
    "code",
  )
  const soundtrackOn = button("M", "mute the soundtrack (f)", () => mute("soundtrack"), "mute")
  const musicOn = button("M", "mute the music (m)", () => mute("music"), "mute")
  const a = button("A", "option A (a)", () => choose("a"))
  const b = button("B", "option B at the same place (b)", () => choose("b"))
  const toggleLoop = () => {
    model.region = model.region.length ? [] : [inside(player.at - BEFORE_S), inside(player.at + AFTER_S)]
  }
  const loop = button("Loop", "loop around the playhead, or drag over the picture (r)", toggleLoop)
  const volume = madeInput({ type: "range", min: 0, max: 1, step: 0.01, value: output.level, title: "volume" })
  volume.ariaLabel = "volume"
  volume.addEventListener("input", () => {
    output.level = Number(volume.value)
    output.volume?.gain.setTargetAtTime(output.level, output.context.currentTime, SWITCH_S / 3)
  })
  const zooms = group(
    "",
    button("−", "zoom out (-)", () => zoom(1 / ZOOM)),
    button("+", "zoom in at the playhead (+)", () => zoom(ZOOM)),
  )
  zooms.setAttribute("role", "group")
  zooms.setAttribute("aria-label", "zoom")
  const source = made("span", "", "source") // of what plays, where that is not the open tab's
  const hearHere = button("", "stop what plays, and hear this tab", () => hearThis(null))
  const mine = { title: "", at: heard, seconds: () => model.duration, stop: pause }
  const said = made("span", "", "said")
  const soundtrackGroup = group("soundtrack", soundtrackOn)
  const choice = group("compare", a, b)
  const help = keysButton([
    ["space", "play or stop, except in a field or on a tick box; Enter presses a button"],
    ["← →", "a second back or on; five with shift, a tenth with ctrl"],
    ["Home End", "to the start, to the end"],
    ["j k l", "back, stop, on; j and l again are twice as fast, without sound from then on"],
    [", .", "the picture before, the next picture"],
    ["r", "loop around the playhead, or stop looping; dragging over the picture loops what was dragged over"],
    ["+ -", "zoom in and out at the playhead; 0 shows all"],
    ["v", "the video on the full screen, and back"],
    ["m f", "mute the music, mute the soundtrack"],
    ["a b", "hear option A or B at the same place"],
    ["Ctrl+Z", "undo the last change; with shift, do it again"],
    ["?", "this list"],
    ["Tab", "to the next control; arrows move a slider, and the tabs where a tab has the focus"],
  ])
  bar.append(
    home,
    playing,
    time,
    ofTrack,
    code,
    source,
    hearHere,
    soundtrackGroup,
    group("music", musicOn),
    choice,
    loop,
    volume,
    zooms,
    meters.box,
    said,
    help.box,
  )

  const keys = {
    " ": playOrPause,
    ArrowLeft: (e) => place(player.at - (e.shiftKey ? 5 : e.ctrlKey ? 0.1 : 1)),
    ArrowRight: (e) => place(player.at + (e.shiftKey ? 5 : e.ctrlKey ? 0.1 : 1)),
    Home: () => place(0),
    End: () => place(model.duration),
    m: () => mute("music"),
    f: () => mute("soundtrack"),
    a: () => choose("a"),
    b: () => choose("b"),
    j: () => faster(-1),
    k: () => pause(),
    l: () => faster(1),
    ",": () => step(-1),
    ".": () => step(1),
    r: toggleLoop,
    "+": () => zoom(ZOOM),
    "=": () => zoom(ZOOM), // where + needs shift
    "-": () => zoom(1 / ZOOM),
    0: () => zoom(0),
    v: toggleFullScreen,
    "?": help.toggle,
    Escape: help.close,
  }
  const actOf = ({ key }) =>
    (!model.own_keys || (key === " " && model.playing)) && keys[key.length === 1 ? key.toLowerCase() : key]
  const onSeek = (event) => {
    if (!bar.isConnected) return
    if (model.here) hearThis(event.detail)
    else place(event.detail)
  }
  // The server learns the time later: who acts at the playhead asks for it.
  const onWhere = (event) => {
    if (box.checkVisibility() && !model.here) event.detail.at = heard()
  }
  const onRegion = (event) => {
    if (bar.isConnected && !model.here) {
      model.region = event.detail
      place(event.detail[0])
    }
  }
  // What the server would say of it comes a moment later: with its own mix, where that is known.
  const onOption = (event) => {
    const [option, name] = event.detail,
      plan = model.plans[option]
    if (!bar.isConnected || model.here || !plan?.cues) return
    model[`plan_${name}`] = plan
    model[`music_${name}`] ||= model.music_a
    model.chosen = name
  }
  const onDuck = (event) => {
    const [by, deepest] = event.detail
    if (!bar.isConnected || model.here) return
    const moved = (db) => (db > 0 ? Math.min(deepest, Math.max(0, db + by)) : db)
    model.duck_a = model.duck_a.map(([at, ...depths]) => [at, ...depths.map(moved)])
  }
  /** Show what sounds by itself. */
  const onSounding = () => {
    paint()
    show(false)
    if (!other()) return
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(tick)
  }
  const box = made("div", "", "player")
  listenToKeys(model, box, actOf)
  listen(model, window, {
    "workbench-sounding": onSounding,
    "workbench-seek": onSeek,
    "workbench-region": onRegion,
    "workbench-where": onWhere,
    "workbench-option": onOption,
    "workbench-duck": onDuck,
  })

  model.on([...LANES, ...OPTIONS.flatMap((name) => [`plan_${name}`, `duck_${name}`])], () => {
    load()
    paint()
  })
  model.on(
    [
      "soundtrack_on",
      "music_on",
      "chosen",
      "soundtrack_db",
      ...OPTIONS.map((name) => `gain_${name}_db`),
      "match_a_db",
      "match_b_db",
      "headroom_db",
    ],
    () => {
      mix()
      paint()
    },
  )
  const showVideo = () =>
    videoPicture.open(model.video_url, () => {
      model.refused_url = model.video_url
    })
  model.on("video_url", () => {
    showVideo()
    if (playsHere()) run()
    else videoPicture.show(player.at)
    paint()
  })
  model.on("region", () => {
    if (playsHere()) player.sound.start(heard(), model.region).catch(cannotPlay)
    paint()
  })
  model.on(["labels", "speech", "title", "here", "video_shown", "still", "zooms", "own_keys"], paint)
  model.on(["duration", "of_track"], () => {
    show(false)
    paint()
  })
  model.on("seek", () => {
    if (!model.seek.length) return
    player.seek = model.seek[1]
    place(model.seek[0])
  })
  const fillKeys = () => help.fill(model.tab_keys)
  model.on("tab_keys", fillKeys)
  model.on("playheads", () => {
    spans = null
    show(false)
  })
  model.on("remove", () => {
    endShuttle()
    cancelAnimationFrame(frame)
    videoPicture.close()
    pause()
    output.context?.close()
    output.context = null
  })
  box.videoPicture = videoPicture
  box.heardAt = (moment) => (playsHere() ? player.sound.heardAt(moment) : null)
  box.gainOf = (lane) => player.sound.lanes[lane].gain.gain.value
  const screen = made("div", "", "screen")
  screen.append(videoPicture.element, videoPicture.still)
  box.append(screen, bar)
  // Only the buttons stay in view where the page is scrolled, not the picture above them.
  onResize(model, box, () => box.getRootNode().host?.style.setProperty("--above", `${bar.offsetTop}px`))
  showVideo()
  fillKeys()
  paint()
  show(false)
  return box
}
