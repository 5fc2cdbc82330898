// Loudness and true peak of what is played, as numbers beside the transport. meter.js measures; here are the windows of
// ITU-R BS.1770: 400 ms, 3 s, and all that was played without what is silent or 10 LU below the rest.

const METER = "assets/meter.js"
const MOMENTARY = 4,
  SHORT_TERM = 30 // steps of 100 ms
const lufs = (power) => 10 * Math.log10(power) - 0.691
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Levels of what came since it was cleared; a step is 100 ms. */
export class Levels {
  constructor() {
    this.clear()
  }
  clear() {
    this.steps = [[], [], []] // mean power of the last 3 s: of all, of the soundtrack, of the music
    this.blocks = [] // mean power of each 400 ms of all
    this.highest = 0
  }
  take({ power, peak }) {
    power.forEach((one, input) => {
      this.steps[input].push(one)
      if (this.steps[input].length > SHORT_TERM) this.steps[input].shift()
    })
    const latest = this.steps[0].slice(-MOMENTARY)
    if (latest.length === MOMENTARY) this.blocks.push(mean(latest))
    this.highest = Math.max(this.highest, peak)
  }
  /** Loudness of the last steps of an input; null until there are as many. */
  over(steps, input = 0) {
    const latest = this.steps[input].slice(-steps)
    return latest.length === steps ? lufs(mean(latest)) : null
  }
  get momentary() {
    return this.over(MOMENTARY)
  }
  get shortTerm() {
    return this.over(SHORT_TERM)
  }
  get integrated() {
    if (!this.blocks.length) return null
    const loud = this.blocks.filter((power) => lufs(power) > -70)
    if (!loud.length) return -Infinity
    const gate = lufs(mean(loud)) - 10
    return lufs(mean(loud.filter((power) => lufs(power) > gate)))
  }
  get truePeak() {
    return this.steps[0].length ? 20 * Math.log10(this.highest) : null
  }
  /** How far the music lies under the soundtrack, LU; null where either is silent. */
  get under() {
    const voice = this.over(MOMENTARY, 1),
      music = this.over(MOMENTARY, 2)
    return voice > -70 && music > -70 ? voice - music : null
  }
}

/** A node that measures its first input as a whole, the second as soundtrack and the third as music. */
export async function meterOf(context, take, url = METER) {
  await context.audioWorklet.addModule(url)
  const meter = new AudioWorkletNode(context, "workbench-meter", { numberOfInputs: 3, outputChannelCount: [1] })
  meter.port.addEventListener("message", (event) => take(event.data))
  meter.port.start()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port leads to one place only
  meter.clear = () => meter.port.postMessage("clear")
  meter.connect(context.destination) // it is silent, but a node that leads nowhere is not run
  return meter
}

/** The numbers, in a row. */
export function levelsBox() {
  const box = document.createElement("div")
  box.className = "levels"
  box.setAttribute("role", "group")
  box.setAttribute("aria-label", "levels of what is played")
  const said = [
    ["LUFS M", "momentary loudness, of the last 400 ms, LUFS"],
    ["S", "short-term loudness, of the last 3 s, LUFS"],
    ["I", "integrated loudness of what was played since the last start or jump, LUFS"],
    ["dBTP", "true peak since the last start or jump, dBTP"],
    ["speech", "how far the music lies under who speaks at the playhead, over 400 ms, LU"],
  ].map(([name, title]) => {
    const one = document.createElement("span")
    one.title = title
    const word = document.createElement("abbr"),
      value = document.createElement("output")
    word.textContent = name
    word.title = title
    value.setAttribute("aria-label", title)
    value.setAttribute("aria-live", "off")
    one.append(word, value)
    box.append(one)
    return [one, value]
  })
  const words = (number) => (number === null ? "–" : number > -100 ? number.toFixed(1) : "–∞")
  box.show = (levels, speaks) => {
    const values = [levels.momentary, levels.shortTerm, levels.integrated, levels.truePeak, levels.under]
    said.forEach(([one, value], n) => {
      if (n < 4) value.textContent = words(values[n])
      else value.textContent = speaks && values[n] !== null ? `${(-values[n]).toFixed(1)}` : "–"
      if (n === 3) one.classList.toggle("over", values[n] !== null && values[n] > -1)
    })
  }
  box.hideSpeech = (hidden) => {
    said[4][0].hidden = hidden
  }
  box.show(new Levels(), false)
  return box
}

/** The meters of a player: what a `Sound` plays, measured and shown; `plays()` and `speaks()` are asked meanwhile. */
export class Meters {
  constructor(plays, speaks) {
    Object.assign(this, { plays, speaks, box: levelsBox(), levels: new Levels(), sound: null, node: null })
  }
  /** Measure another sound; `sum` is all of it, and its lane `soundtrack` is not music. */
  async measure(sound, sum) {
    this.sound = sound
    this.node = null
    this.box.hidden = !sound.context.audioWorklet // which a browser has for pages of this machine, and with TLS
    if (this.box.hidden) return
    const node = await meterOf(sound.context, (measured) => {
      if (sound !== this.sound || !this.plays()) return
      this.levels.take(measured)
      this.box.show(this.levels, this.speaks())
    })
    if (sound !== this.sound) return
    this.node = node
    sum.connect(node, 0, 0)
    for (const [name, lane] of Object.entries(sound.lanes)) lane.gain.connect(node, 0, name === "soundtrack" ? 1 : 2)
  }
  /** Measure from here on, as integrated loudness and true peak do. */
  clear() {
    this.levels.clear()
    this.node?.clear()
  }
}

/** Levels of what `playOffline` plays, step by step: [momentary, short-term] of each, integrated and true peak. */
export async function measureOffline(samples, rate, url) {
  const context = new OfflineAudioContext(samples.length, samples[0].length, rate)
  const buffer = context.createBuffer(samples.length, samples[0].length, rate)
  samples.forEach((row, channel) => buffer.copyToChannel(row, channel))
  const source = context.createBufferSource()
  source.buffer = buffer
  const levels = new Levels(),
    rows = [],
    wanted = Math.floor((10 * samples[0].length) / rate)
  let told = null
  const all = new Promise((resolve) => {
    told = resolve
  })
  const meter = await meterOf(
    context,
    (step) => {
      levels.take(step)
      rows.push([levels.momentary, levels.shortTerm])
      if (rows.length === wanted) told()
    },
    url,
  )
  source.connect(meter, 0, 0)
  source.start()
  await Promise.all([context.startRendering(), all])
  return { rows, integrated: levels.integrated, truePeak: levels.truePeak }
}
