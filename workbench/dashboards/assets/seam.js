// One seam with its crossfade, without it, and the track around both of its ends, switched at the same place; and its
// crossfade as handles.
// All four are made here from the track itself, as the transport plays it, on one clock of which one side is audible. A
// crossfade that is tried is heard while a handle moves.

const REST_MS = 250 // without a key until the server is told
const DRAG_MS = 100 // between two crossfades that are heard while a handle is dragged
const NUDGE_S = 0.002,
  NUDGE_EXPONENT = 0.02 // of an arrow key on a handle; ten times as much with shift
const TICKS_MS = [-250, -50, -10, 0, 10, 50, 250] // from the seam
const LABEL_PIXELS = 36 // from the middle, for a label beside it
const NARROW_PIXELS = 600,
  HINT_PIXELS = 860 // from which on the line under the crossfade has room for what to do with it
const FAULT = "this seam cannot be played; choose it again"
const SIDES = [
  ["crossfade", "With crossfade", "1"],
  ["cut", "Without crossfade", "2"],
  ["left", "Track plays on", "3"],
  ["entered", "Track leads in", "4"],
]

export function render({ model }) {
  const box = made("div", "", "seam"),
    row = made("div", "", "bar row"),
    tell = sender(model)
  row.setAttribute("role", "toolbar")
  box.append(row)

  let sound = null,
    playing = false,
    loaded = {}, // of `played`, what plays: another seam has other places
    into = 0, // where it stands, s from the beginning of the excerpt
    frame = 0,
    now = "crossfade",
    span = null,
    fade = model.fade,
    exponent = model.exponent
  const position = () => (playing && sound.playing ? sound.position() - loaded.from : into)
  function fault(error) {
    console.warn(error)
    stop()
    tellFault(FAULT)
  }
  /** What each side plays until the excerpt ends. */
  function programs() {
    const { plan, seam, to } = model.played
    const stops = Math.round(to * plan.rate),
      [before, after] = plan.cues.slice(seam, seam + 2)
    // A side of the track alone, at the level that it has at the seam.
    const alone = (cue) => ({
      rate: plan.rate,
      length: stops,
      cues: [{ ...cue, first: 0, stop: stops, steady_to: stops, fade_in: null, fade_out: null }],
    })
    return {
      crossfade: { ...withFade(plan, seam, fade, exponent), length: stops },
      cut: { ...withFade(plan, seam, model.shortest, 1), length: stops },
      left: alone(before),
      entered: alone({ ...after, gain_db: after.gain_in_db, steady_from: 0 }),
    }
  }
  function load() {
    if (!sound || !model.played.music) return
    loaded = model.played
    for (const [name, program] of Object.entries(programs())) {
      sound.set(name, model.played.music, program, [])
      sound.level(name, name === now ? 1 : 0)
    }
  }
  async function play(name, from = 0) {
    now = name
    if (!model.played.music) return
    const { played } = model
    const context = openOutput(played.plan.rate)
    if (sound?.context !== context) {
      sound?.stop()
      sound = new Sound(
        context,
        SIDES.map(([side]) => side),
        output.volume,
      )
      sound.fault = fault
    }
    sound.stop()
    load()
    beginSounding(mine)
    playing = true
    into = from
    paint()
    await context.resume()
    if (!playing) return
    await sound.start(played.from + from, model.looped ? [played.from, played.to] : [])
    if (!sound.playing) return
    endFault(FAULT)
    tick()
  }
  function stop() {
    playing = false
    into = 0
    sound?.stop()
    endSounding(mine)
    cancelAnimationFrame(frame)
    follow()
    paint()
  }
  function follow() {
    const { plan, seam, from } = playing ? loaded : model.played
    if (!plan) return
    span ??= window.Bokeh?.documents.map((doc) => doc.get_model_by_name(model.playhead)).find((found) => found)
    span?.setv({ location: from + position() - plan.cues[seam].fade_out.centre }, { sync: false })
  }
  function tick() {
    cancelAnimationFrame(frame)
    follow()
    if (playing && !model.looped && position() >= loaded.to - loaded.from) stop()
    if (playing) frame = requestAnimationFrame(tick)
  }
  const mine = {
    title: "Seams",
    at: () => loaded.from + position(), // of the video
    seconds: () => loaded.plan.window_end,
    stop,
  }
  const toggle = (name) => {
    if (playing && now === name) stop()
    else if (playing) {
      now = name
      load()
      paint()
    } else play(name).catch(fault)
  }

  const buttons = SIDES.map(([name, text, key]) => {
    const side = button("", "", () => toggle(name))
    side.innerHTML = `<kbd>${key}</kbd> ${text}`
    row.append(side)
    return [name, side]
  })
  const repeat = () => {
    model.looped = !model.looped
    if (playing) play(now, position()).catch(fault)
    paint()
  }
  const again = button("Repeat", "", repeat)
  row.append(again)
  const help = keysButton([
    ["space", "play or stop, whatever has the focus, save a field or a tick box; Enter presses a button"],
    ["1 2 3 4", "with the crossfade, without it, the track played on, the track leading in; at the same place"],
    ["r", "repeat"],
    ["← →", "the seam before, the next seam"],
    ["w", "the worst seam"],
    ["g u x", "judge it: good, audible, wrong"],
    ["?", "this list"],
    [
      "Tab",
      "to the next control; on a handle of the crossfade arrows move it by 2 ms, with shift or Page Up and Page Down by 20",
    ],
  ])
  row.append(help.box)

  // The crossfade, over as many seconds as the handles may reach.
  const H = 120,
    PAD = 12,
    FOOT = 48,
    DEEP = H - PAD - FOOT
  let W = 620
  const svg = shape("svg", { viewBox: `0 0 ${W} ${H}`, class: "fade", role: "group", "aria-label": "crossfade" })
  const out = shape("path", { class: "out" }),
    rises = shape("path", { class: "into" })
  const area = shape("rect", { class: "area", y: PAD, height: DEEP })
  const handleFor = (label) =>
    shape("circle", { r: 8, class: "handle", tabindex: 0, role: "slider", "aria-label": label })
  const wide = handleFor("length of the crossfade, ms"),
    bend = handleFor("exponent of the crossfade")
  const words = shape("text", { y: H - 8, class: "words" })
  const middle = shape("line", { y1: 0, y2: H - FOOT + 4, class: "middle" })
  const marks = TICKS_MS.map((ms) => {
    const mark = shape("line", { y1: H - FOOT, y2: H - FOOT + 4, class: "mark" })
    const label = shape("text", { y: H - FOOT + 18, class: "label", "text-anchor": "middle" })
    label.textContent = ms > 0 ? `+${ms}` : ms < 0 ? `−${-ms}` : "seam"
    return [ms, mark, label]
  })
  const unit = shape("text", { x: 0, y: H - FOOT + 18, class: "label" })
  unit.textContent = "crossfade, ms"
  svg.append(area, middle, ...marks.flatMap(([, mark, label]) => [mark, label]), unit, out, rises, wide, bend, words)
  box.append(svg)
  // The seam stands under the seam of the picture above.
  const left = () => model.frame[0],
    right = () => W - model.frame[1],
    centre = () => (left() + right()) / 2
  const xOf = (share) => centre() + (share * (right() - left())) / 2 // -1 to 1 of the longest half
  const yOf = (value) => H - FOOT - value * DEEP
  // short fades need the room: the axis is a square root of the length
  const reach = (seconds) => Math.sqrt(seconds / model.longest)
  const secondsOf = (share) => Math.max(model.shortest, Math.min(model.longest, share * share * model.longest))
  function draw() {
    W = svg.clientWidth || W
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`)
    const half = reach(fade),
      points = Array.from({ length: 41 }, (_, i) => i / 40)
    const x = (t) => xOf(-half + 2 * half * t).toFixed(1)
    const curve = (first, last, share) => {
      const bends = points.map((t) => `L${x(t)},${yOf(Math.pow(share(t), exponent)).toFixed(1)}`)
      return `M${left()},${yOf(first)} ${bends.join(" ")} L${right()},${yOf(last)}`
    }
    out.setAttribute(
      "d",
      curve(1, 0, (t) => 1 - t),
    )
    rises.setAttribute(
      "d",
      curve(0, 1, (t) => t),
    )
    for (const [ms, mark, label] of marks) {
      const share = Math.sign(ms) * reach((2 * Math.abs(ms)) / 1000)
      const room = ms === 0 || Math.abs(xOf(share) - centre()) > LABEL_PIXELS
      const shown = Math.abs(share) <= 1 && room ? "" : "none"
      mark.style.display = label.style.display = shown
      mark.setAttribute("x1", xOf(share))
      mark.setAttribute("x2", xOf(share))
      label.setAttribute("x", xOf(share))
    }
    middle.setAttribute("x1", xOf(0))
    middle.setAttribute("x2", xOf(0))
    words.setAttribute("x", left())
    area.setAttribute("x", xOf(-half))
    area.setAttribute("width", Math.max(1, xOf(half) - xOf(-half)))
    wide.setAttribute("cx", xOf(half))
    wide.setAttribute("cy", yOf(1))
    bend.setAttribute("cx", xOf(0))
    bend.setAttribute("cy", yOf(Math.pow(0.5, exponent)))
    wide.setAttribute("aria-valuenow", Math.round(1000 * fade))
    bend.setAttribute("aria-valuenow", exponent.toFixed(2))
    const nearer = exponent < 0.75 ? "near equal power" : "near linear"
    const between = W < NARROW_PIXELS ? nearer : "between equal power and linear"
    const kind = exponent < 0.55 ? "equal power" : exponent > 0.95 ? "linear" : between
    const hint = W < HINT_PIXELS ? "" : " · drag a handle, listen, then use it in the plan"
    words.textContent = `${(1000 * fade).toFixed(0)} ms · exponent ${exponent.toFixed(2)} (${kind})${hint}`
  }
  const send = () => tell("wished", fade, exponent)
  const place = (event) => {
    const edges = svg.getBoundingClientRect()
    return [((event.clientX - edges.left) / edges.width) * W, ((event.clientY - edges.top) / edges.height) * H]
  }
  let held = false, // whether a handle is being dragged
    dragged = 0
  const drag = (handle, move) => {
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId)
      event.preventDefault()
      handle.focus()
    })
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return
      held = true
      move(...place(event))
      draw()
      if (performance.now() - dragged < DRAG_MS) return
      dragged = performance.now()
      load()
    })
    handle.addEventListener("lostpointercapture", () => {
      if (!held) return
      held = false
      load()
      send()
    })
  }
  drag(wide, (x) => {
    fade = secondsOf(Math.min(1, Math.abs(x - centre()) / (xOf(1) - centre())))
  })
  drag(bend, (_, y) => {
    const value = Math.min(0.7072, Math.max(0.5, (H - FOOT - y) / DEEP))
    exponent = Math.min(1, Math.max(0.5, Math.log(value) / Math.log(0.5)))
  })
  // keys are heard one by one, and told as one wish, when they rest or the focus leaves the handle
  let resting = 0
  const rested = () => {
    clearTimeout(resting)
    resting = 0
    send()
  }
  const nudge = (handle, act) =>
    handle.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key]
      if (!way) return
      const step = event.shiftKey && Math.abs(way) === 1 ? 10 * way : way
      event.preventDefault()
      event.stopPropagation()
      act(step)
      draw()
      load()
      clearTimeout(resting)
      resting = setTimeout(rested, REST_MS)
    })
  for (const handle of [wide, bend])
    handle.addEventListener("blur", () => {
      if (resting) rested()
    })
  nudge(wide, (step) => {
    fade = Math.min(model.longest, Math.max(model.shortest, fade + NUDGE_S * step))
  })
  nudge(bend, (step) => {
    exponent = Math.min(1, Math.max(0.5, exponent + NUDGE_EXPONENT * step))
  })

  function paint() {
    for (const [name, side] of buttons) press(side, playing && now === name)
    press(again, model.looped)
  }
  const acts = {
    ...Object.fromEntries(SIDES.map(([name, , key]) => [key, () => toggle(name)])),
    " ": () => (playing ? stop() : play(now).catch(fault)),
    ArrowLeft: () => tell("step", -1),
    ArrowRight: () => tell("step", 1),
    r: repeat,
    w: () => tell("find_worst"),
    g: () => tell("verdict", "good"),
    u: () => tell("verdict", "audible"),
    x: () => tell("verdict", "wrong"),
    "?": help.toggle,
    Escape: help.close,
  }
  listenToKeys(model, box, ({ key }) => acts[key])
  // The button that puts a fade into the plan is disabled by it and would drop the focus: the handle takes it.
  let byKey = false
  const noteKey = ({ type }) => {
    byKey = type === "keydown"
  }
  listen(model, document, { keydown: noteKey, pointerdown: noteKey }, true)
  model.on("used", () => {
    if (byKey) wide.focus()
  })
  box.programs = programs
  const take = soon(() => {
    if (!resting && !held) {
      fade = model.fade
      exponent = model.exponent
      draw()
    }
    if (!playing) return
    if (!model.played.music) stop()
    else if (["music", "seam", "from"].every((name) => model.played[name] === loaded[name])) load()
    else play(now, position()).catch(fault)
  })
  model.on(["fade", "exponent", "longest", "shortest", "frame", "refused", "played"], take)
  model.on("remove", () => {
    clearTimeout(resting)
    stop()
  })
  onResize(model, svg, draw)
  draw()
  paint()
  return box
}
