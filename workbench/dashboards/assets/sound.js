// Plays plans on one clock: recordings are read as pieces of their WAV files, cut, faded and ducked here as
// `workbench.render` does it, and laid end to end on the clock of an AudioContext. See transport.py for why.

const BLOCK = 1 << 16 // samples that are fetched together
const MOST_BLOCKS = 160 // of a recording that are kept: four minutes at 44.1 kHz, 42 MB in stereo
const PIECE = 1 << 14 // samples that are scheduled together
const AHEAD_S = 2.5 // of sound lies ready: a page in the background may come round once a second only
const LEAD_S = 0.02 // from a wish to its sound
const EDGE_S = 0.008 // over which one sound gives way to another
const EDGE_SAMPLES = 64 // that fade on both sides of the jump back of a loop

const gainOf = (db) => Math.pow(10, db / 20)
const clamp = (x) => (x < 0 ? 0 : x > 1 ? 1 : x)

/** A WAV file of 16 bits on the server, read in blocks by range requests. */
export class Recording {
  constructor(url) {
    this.url = url
    this.blocks = new Map()
    this.head = null
  }
  /** A request that was under way already may fail; whoever joined it has it made once more. */
  open() {
    return this.head ? this.head.catch(() => this.begin()) : this.begin()
  }
  begin() {
    this.head ??= this.readHead().catch((error) => {
      this.head = null
      throw error
    })
    return this.head
  }
  async bytes(first, stop) {
    const answer = await fetch(this.url, { headers: { Range: `bytes=${first}-${stop - 1}` } })
    if (!answer.ok) throw new Error(`${this.url}: ${answer.status}`)
    const got = await answer.arrayBuffer()
    return answer.status === 206 ? got : got.slice(first, stop)
  }
  async readHead() {
    const view = new DataView(await this.bytes(0, 4096))
    const word = (at) => String.fromCharCode(...new Uint8Array(view.buffer, at, 4))
    if (view.byteLength < 44 || word(8) !== "WAVE") throw new Error(`${this.url}: no WAV file`)
    for (let at = 12; at + 8 <= view.byteLength;) {
      const kind = word(at),
        size = view.getUint32(at + 4, true)
      if (kind === "fmt ") {
        this.channels = view.getUint16(at + 10, true)
        this.rate = view.getUint32(at + 12, true)
        if (view.getUint16(at + 22, true) !== 16) throw new Error(`${this.url}: not of 16 bits`)
      } else if (kind === "data") {
        this.from = at + 8
        this.length = Math.floor(size / (2 * this.channels))
        return this
      }
      at += 8 + size + (size % 2)
    }
    throw new Error(`${this.url}: a WAV file without samples`)
  }
  /** Have samples `first` to `stop` at hand. */
  async load(first, stop) {
    const wanted = []
    for (let block = Math.floor(Math.max(0, first) / BLOCK); block * BLOCK < Math.min(stop, this.length); block++)
      wanted.push(this.block(block))
    await Promise.all(wanted)
  }
  block(number) {
    const found = this.blocks.get(number)
    if (!found) return this.read(number)
    this.blocks.delete(number) // and to the end: what was used last is dropped last
    this.blocks.set(number, found)
    return found.samples ?? found.coming.catch(() => this.blocks.get(number)?.coming ?? this.read(number))
  }
  read(number) {
    const size = 2 * this.channels,
      first = number * BLOCK,
      stop = Math.min(this.length, first + BLOCK),
      found = { samples: null }
    found.coming = this.bytes(this.from + first * size, this.from + stop * size).then(
      (bytes) => (found.samples = new Int16Array(bytes)),
      (error) => {
        if (this.blocks.get(number) === found) this.blocks.delete(number)
        throw error
      },
    )
    if (this.blocks.size >= MOST_BLOCKS) this.blocks.delete(this.blocks.keys().next().value)
    this.blocks.set(number, found)
    return found.coming
  }
  /** Add samples `first` to `stop`, each times its gain, to `out` from `at` on; what is not at hand is silence. */
  add(out, at, first, stop, gain) {
    const from = Math.max(0, first)
    for (let n = from, end = Math.min(stop, this.length); n < end;) {
      const number = Math.floor(n / BLOCK),
        until = Math.min(end, (number + 1) * BLOCK),
        samples = this.blocks.get(number)?.samples
      if (samples)
        for (let c = 0; c < out.length; c++) {
          const row = out[c]
          let source = (n - number * BLOCK) * this.channels + c
          for (let m = n; m < until; m++, source += this.channels)
            row[at + m - first] += (samples[source] / 32768) * gain(m - first)
        }
      n = until
    }
  }
}

/** What a whole recording is as a program: one cue from its first sample to its last. */
const straight = (recording) => ({
  rate: recording.rate,
  length: recording.length,
  cues: [{ first: 0, stop: recording.length, song_offset: 0, steady_from: 0, steady_to: recording.length }],
})

/** Level and crossfades of a cue at an output sample; `PlayedSegment.gain` in workbench/render/schedule.py. */
function cueGain(cue, sample, rate) {
  if (cue.begins === undefined) return 1
  const time = sample / rate,
    held = Math.min(time, cue.ends)
  const moved = cue.glide_seconds > 0 ? clamp((held - cue.begins) / cue.glide_seconds) : held < cue.begins ? 0 : 1
  let gain = gainOf(cue.gain_in_db + (cue.gain_db - cue.gain_in_db) * moved)
  if (cue.fade_in) gain *= Math.pow(fadeAt(cue.fade_in, time), cue.fade_in.exponent)
  if (cue.fade_out) gain *= Math.pow(1 - fadeAt(cue.fade_out, time), cue.fade_out.exponent)
  return gain
}
const fadeAt = (fade, time) => clamp((time - (fade.centre - fade.seconds / 2)) / fade.seconds)

/** Multiply by the fades at both ends; `Schedule.ends_gain`. */
function fadeEnds(out, begin, program) {
  const { rate, music_in, start_fade_seconds: rise, window_end, end_fade_seconds: fall } = program
  const count = out[0].length
  const fades = (x) => 0.5 - 0.5 * Math.cos(Math.PI * clamp(x))
  const rises = rise > 0 && begin / rate < music_in + rise,
    falls = fall > 0 && (begin + count) / rate > window_end - fall
  if (!rises && !falls) return
  for (let i = 0; i < count; i++) {
    const time = (begin + i) / rate
    let gain = 1
    if (rises) gain *= fades((time - music_in) / rise)
    if (falls) gain *= fades((window_end - time) / fall)
    for (const row of out) row[i] *= gain
  }
}

/** Attenuation in dB at a time; `points` are [s, dB, dB], straight in between and held beyond. The second dB, of what
 * lies outside the band of speech, stands only where it differs; `column` chooses. */
export function attenuationAt(points, time, column = 1) {
  if (!points.length) return 0
  let low = 0,
    high = points.length // the first point after `time` lies in [low, high]
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle][0] <= time) low = middle + 1
    else high = middle
  }
  if (low === 0) return points[0][column]
  if (low === points.length) return points[low - 1][column]
  const before = points[low - 1],
    after = points[low]
  return before[column] + ((after[column] - before[column]) * (time - before[0])) / (after[0] - before[0])
}

function duckBy(out, begin, rate, points) {
  if (!points.length) return
  for (let i = 0; i < out[0].length; i++) {
    const db = attenuationAt(points, (begin + i) / rate)
    if (db === 0) continue
    const gain = gainOf(-db)
    for (const row of out) row[i] *= gain
  }
}

/** Fast Fourier transform of complex numbers in place, of a power of two; the inverse is not scaled. */
function transform(re, im, inverse) {
  const size = re.length
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j |= bit
    if (i >= j) continue
    ;[re[i], re[j]] = [re[j], re[i]]
    ;[im[i], im[j]] = [im[j], im[i]]
  }
  for (let half = 1; half < size; half <<= 1) {
    const turn = ((inverse ? 1 : -1) * Math.PI) / half
    for (let k = 0; k < half; k++) {
      const c = Math.cos(turn * k),
        s = Math.sin(turn * k)
      for (let i = k; i < size; i += 2 * half) {
        const j = i + half,
          x = re[j] * c - im[j] * s,
          y = re[j] * s + im[j] * c
        re[j] = re[i] - x
        im[j] = im[i] - y
        re[i] += x
        im[i] += y
      }
    }
  }
}

/** The filter that cuts out the band of speech; `speech_band_taps` in workbench/mix/speech_band.py. */
class SpeechBand {
  static at(rate, [low, full, top, high, reachSeconds]) {
    const key = [rate, low, full, top, high, reachSeconds].join(" ")
    SpeechBand.made ??= new Map()
    if (!SpeechBand.made.has(key)) SpeechBand.made.set(key, new SpeechBand(rate, low, full, top, high, reachSeconds))
    return SpeechBand.made.get(key)
  }
  constructor(rate, low, full, top, high, reachSeconds) {
    const reach = Math.round(reachSeconds * rate),
      size = 2 ** Math.ceil(Math.log2(8 * reach + 1))
    const re = new Float64Array(size),
      im = new Float64Array(size)
    for (let k = 0; k <= size / 2; k++) {
      const octaves = Math.log2(Math.max((k * rate) / size, 1))
      const rises = clamp((octaves - Math.log2(low)) / Math.log2(full / low)),
        falls = clamp((Math.log2(high) - octaves) / Math.log2(high / top))
      re[k] = (Math.sin((Math.PI / 2) * rises) * Math.sin((Math.PI / 2) * falls)) ** 2
      re[(size - k) % size] = re[k]
    }
    transform(re, im, true)
    this.reach = reach
    this.taps = Float64Array.from({ length: reach + 1 }, (_, n) => {
      const window = 0.5 + 0.5 * Math.cos((Math.PI * n) / (reach + 1))
      return (re[n] / size) * window
    })
    this.responses = new Map()
  }
  /** Of symmetric taps: real. */
  response(size) {
    if (!this.responses.has(size)) {
      const re = new Float64Array(size)
      this.taps.forEach((tap, n) => (re[n] = re[(size - n) % size] = tap))
      transform(re, new Float64Array(size), false)
      this.responses.set(size, re)
    }
    return this.responses.get(size)
  }
  /** What of two rows lies in the band; what is wrapped around stays within `reach` of their ends. */
  filter(one, other) {
    const size = 2 ** Math.ceil(Math.log2(one.length)),
      response = this.response(size)
    const re = new Float64Array(size),
      im = new Float64Array(size)
    re.set(one)
    if (other) im.set(other)
    transform(re, im, false)
    for (let k = 0; k < size; k++) {
      re[k] *= response[k] / size
      im[k] *= response[k] / size
    }
    transform(re, im, true)
    return [re, im]
  }
}

/** `duck_blocks` of workbench/mix/speech_band.py: `wide` begins `band.reach` samples before `out` and ends as many after. */
function duckBands(out, wide, begin, rate, points, band) {
  const count = out[0].length
  const outside = new Float64Array(count),
    more = new Float64Array(count)
  let differ = false
  for (let i = 0; i < count; i++) {
    const time = (begin + i) / rate
    outside[i] = gainOf(-attenuationAt(points, time, 2))
    more[i] = gainOf(-attenuationAt(points, time, 1)) - outside[i]
    differ ||= more[i] !== 0
  }
  for (let c = 0; c < out.length; c += 2) {
    const found = differ ? band.filter(wide[c], wide[c + 1]) : null
    for (let k = 0; k < 2 && c + k < out.length; k++)
      for (let i = 0; i < count; i++) {
        const sound = wide[c + k][band.reach + i] * outside[i]
        out[c + k][i] = found ? sound + more[i] * found[k][band.reach + i] : sound
      }
  }
}

const inBands = (points) => points.length > 0 && points[0].length > 2

/** Samples `begin` on of a program, as many as `out` holds, ducked. */
function play(out, begin, recording, program, points, speechBand) {
  if (!inBands(points)) {
    mixInto(out, begin, recording, program)
    duckBy(out, begin, program.rate, points)
    return
  }
  const band = SpeechBand.at(program.rate, speechBand)
  const wide = out.map((row) => new Float32Array(row.length + 2 * band.reach))
  mixInto(wide, begin - band.reach, recording, program)
  duckBands(out, wide, begin, program.rate, points, band)
}

/** Samples before and after a piece that are heard in it. */
const reachOf = (points, rate, speechBand) => (inBands(points) ? SpeechBand.at(rate, speechBand).reach : 0)

/** Samples `begin` on of a program, as many as `out` holds. */
function mixInto(out, begin, recording, program) {
  const stop = begin + out[0].length
  for (const cue of program.cues) {
    const first = Math.max(cue.first, begin),
      last = Math.min(cue.stop, stop)
    if (last <= first) continue
    const edges = [first, cue.steady_from, cue.steady_to, last].filter((at) => at >= first && at <= last)
    edges.sort((a, b) => a - b)
    for (let k = 0; k + 1 < edges.length; k++) {
      const from = edges[k],
        to = edges[k + 1]
      if (to <= from) continue
      const steady = cue.steady_from <= from && to <= cue.steady_to
      const level = steady ? cueGain(cue, from, program.rate) : 0
      const gain = steady ? () => level : (n) => cueGain(cue, from + n, program.rate)
      recording.add(out, from - begin, from + cue.song_offset, to + cue.song_offset, gain)
    }
  }
  if (program.window_end !== undefined) fadeEnds(out, begin, program)
}

/** Have at hand what a program plays from sample `begin` to `stop`. */
const loadFor = (recording, program, begin, stop) =>
  Promise.all(
    program.cues
      .filter((cue) => cue.first < stop && cue.stop > begin)
      .map((cue) =>
        recording.load(Math.max(cue.first, begin) + cue.song_offset, Math.min(cue.stop, stop) + cue.song_offset),
      ),
  )

/** Sound that was scheduled under one wish; another wish makes another deck, which this one gives way to. */
class Deck {
  constructor(context, out, recording, program, points, next, edge) {
    Object.assign(this, { context, recording, program, points, next, sources: new Set(), filling: null, over: false })
    this.gain = context.createGain()
    this.gain.connect(out)
    if (edge) {
      const at = next / context.sampleRate
      this.gain.gain.setValueAtTime(0, 0)
      this.gain.gain.setValueAtTime(0, at)
      this.gain.gain.linearRampToValueAtTime(1, at + EDGE_S)
    }
  }
  end(at) {
    if (this.over) return
    this.over = true
    this.gain.gain.cancelScheduledValues(at)
    this.gain.gain.setValueAtTime(1, at)
    this.gain.gain.linearRampToValueAtTime(0, at + EDGE_S)
    for (const source of this.sources) source.stop(at + 2 * EDGE_S)
    if (!this.sources.size) this.gain.disconnect()
  }
  play(out, frame) {
    const buffer = this.context.createBuffer(out.length, out[0].length, this.program.rate)
    out.forEach((row, c) => buffer.copyToChannel(row, c))
    const source = this.context.createBufferSource()
    source.buffer = buffer
    source.connect(this.gain)
    source.addEventListener("ended", () => {
      source.disconnect()
      this.sources.delete(source)
      if (this.over && !this.sources.size) this.gain.disconnect()
    })
    this.sources.add(source)
    source.start(frame / this.context.sampleRate)
  }
}

/** One of the sounds that are heard together. */
class Lane {
  constructor(context, out) {
    this.recording = null
    this.plan = null
    this.points = []
    this.deck = null
    this.wish = 0
    this.gain = context.createGain()
    this.gain.gain.value = 0
    this.gain.connect(out)
  }
  get program() {
    return this.plan ?? straight(this.recording)
  }
}

/** Lanes on one clock; each plays a recording, straight or as a plan says. */
export class Sound {
  constructor(context, names, out = context.destination) {
    this.context = context
    this.lanes = Object.fromEntries(names.map((name) => [name, new Lane(context, out)]))
    this.recordings = new Map()
    this.run = null // {frame, n, from, to}: at `frame` of the context sample `n` is heard; between both it loops
    this.timer = 0
    this.fault = () => {}
    this.starts = 0
    this.speechBand = [] // of points with three numbers: edges of the band in Hz, and s that its filter reaches
  }
  get playing() {
    return this.run !== null
  }
  recordingOf(url) {
    if (!this.recordings.has(url)) this.recordings.set(url, new Recording(url))
    return this.recordings.get(url)
  }
  /** Let a lane play a recording; `plan` as `workbench.dashboards.sounds.plan` writes it, null for all of the recording. */
  set(name, url, plan, points) {
    const lane = this.lanes[name]
    const key = JSON.stringify([url, plan, points])
    if (key === lane.key) return
    lane.key = key
    lane.recording = url ? this.recordingOf(url) : null
    lane.plan = plan
    lane.points = points
    const kept = new Set(Object.values(this.lanes).map((one) => one.recording))
    for (const [address, recording] of this.recordings) if (!kept.has(recording)) this.recordings.delete(address)
    if (this.playing) this.renew(lane)
    else if (lane.recording) lane.recording.open().catch(() => {})
  }
  level(name, gain) {
    this.lanes[name].gain.gain.setTargetAtTime(gain, this.context.currentTime, EDGE_S / 2)
  }
  frame() {
    return Math.ceil((this.context.currentTime + LEAD_S) * this.context.sampleRate)
  }
  sampleAt(frame) {
    const { frame: began, n, from, to } = this.run
    const at = n + frame - began
    return to > from && n < to && at >= to ? from + ((at - to) % (to - from)) : at
  }
  /** Seconds that are heard at a time of the context. */
  position(at = this.context.currentTime) {
    const { sampleRate } = this.context
    const frame = Math.max(this.run.frame, at * sampleRate)
    return this.sampleAt(frame) / sampleRate
  }
  /** Seconds that are heard at a time of `performance.now()`, through the loudspeaker's delay. */
  heardAt(now) {
    const stamp = this.context.getOutputTimestamp?.()
    if (!stamp?.performanceTime) return this.position()
    return this.position(stamp.contextTime + (now - stamp.performanceTime) / 1000)
  }
  /** Play from `at`; seconds of `region` are looped. */
  async start(at, region = []) {
    const mine = ++this.starts
    const rate = this.context.sampleRate
    try {
      await this.prepare(at)
    } catch (error) {
      if (mine === this.starts) throw error
    }
    if (mine !== this.starts) return // stopped, or started anew: what became of this one is nobody's business
    for (const lane of Object.values(this.lanes)) this.drop(lane)
    const [from, to] = region
    this.run = {
      frame: this.frame(),
      n: Math.round(at * rate),
      from: Math.round((from ?? 0) * rate),
      to: Math.round((to ?? 0) * rate),
    }
    for (const lane of Object.values(this.lanes)) this.lay(lane, this.run.frame, true)
    clearInterval(this.timer)
    this.timer = setInterval(() => this.fill(), 200)
    await this.fill()
  }
  stop() {
    this.starts++
    clearInterval(this.timer)
    for (const lane of Object.values(this.lanes)) this.drop(lane)
    this.run = null
  }
  /** Have at hand what will be heard from a place on. */
  async prepare(at) {
    const first = Object.values(this.lanes).filter((lane) => lane.recording)
    await Promise.all(
      first.map(async (lane) => {
        await lane.recording.open()
        const begin = Math.round(at * lane.recording.rate)
        await loadFor(lane.recording, lane.program, begin, begin + 2 * PIECE)
      }),
    )
  }
  drop(lane, at = this.context.currentTime) {
    lane.wish++
    lane.deck?.end(at)
    lane.deck = null
  }
  lay(lane, frame, edge) {
    if (!lane.recording) return
    lane.deck = new Deck(this.context, lane.gain, lane.recording, lane.program, lane.points, frame, edge)
  }
  /** Let a lane go over to what it plays now, at the same place. */
  async renew(lane) {
    const wish = ++lane.wish,
      run = this.run,
      isWanted = () => wish === lane.wish && run === this.run
    try {
      await lane.recording?.open()
      if (!isWanted()) return
      if (lane.recording) {
        const { rate } = lane.recording
        const begin = Math.round((this.sampleAt(this.frame()) / this.context.sampleRate) * rate)
        await loadFor(lane.recording, lane.program, begin, begin + PIECE + rate)
      }
    } catch (error) {
      if (isWanted()) this.fault(error)
      return
    }
    if (!isWanted()) return
    const frame = this.frame()
    lane.deck?.end(frame / this.context.sampleRate)
    lane.deck = null
    this.lay(lane, frame, true)
    this.changed?.(frame / this.context.sampleRate)
    await this.fill()
  }
  /** Schedule what is heard until a time of the context. */
  async fill(until = this.context.currentTime + AHEAD_S) {
    try {
      await Promise.all(Object.values(this.lanes).map((lane) => lane.deck && this.fillDeck(lane.deck, until)))
    } catch (error) {
      this.fault(error)
    }
  }
  async fillDeck(deck, until) {
    if (deck.filling) return deck.filling
    const fill = async () => {
      const { sampleRate } = this.context
      while (!deck.over && this.run && deck.next < until * sampleRate) {
        const begin = this.sampleAt(deck.next),
          { from, to } = this.run,
          looped = to > from && begin < to,
          count = looped ? Math.min(PIECE, to - begin) : PIECE
        const scale = deck.program.rate / sampleRate
        const first = Math.round(begin * scale),
          stop = Math.round((begin + count) * scale)
        if (first >= deck.program.length && !looped) return
        const reach = reachOf(deck.points, deck.program.rate, this.speechBand)
        try {
          // oxlint-disable-next-line no-await-in-loop -- a piece begins where the one before it ended
          await loadFor(deck.recording, deck.program, first - reach, stop + reach)
        } catch (error) {
          if (!deck.over && this.run) throw error
        }
        if (deck.over || !this.run) return
        const now = Math.ceil(this.context.currentTime * sampleRate)
        if (this.context.state === "running" && deck.next < now) {
          deck.next = now + Math.ceil(LEAD_S * sampleRate) // came too late: a gap, and in step again
          continue
        }
        const out = Array.from({ length: deck.recording.channels }, () => new Float32Array(stop - first))
        play(out, first, deck.recording, deck.program, deck.points, this.speechBand)
        if (looped) soften(out, begin === from && deck.next > this.run.frame, begin + count === to)
        deck.play(out, deck.next)
        deck.next += count
      }
    }
    deck.filling = fill().finally(() => (deck.filling = null))
    return deck.filling
  }
}

/** Fade the first or the last samples, where a loop jumps. */
function soften(out, starts, ends) {
  for (const row of out)
    for (let i = 0; i < Math.min(EDGE_SAMPLES, row.length); i++) {
      if (starts) row[i] *= i / EDGE_SAMPLES
      if (ends) row[row.length - 1 - i] *= i / EDGE_SAMPLES
    }
}

/** A plan with another crossfade at a seam: `with_fade` of dashboards/sounds/seam.py, and what
 * workbench/render/schedule.py makes of it. */
export function withFade(plan, seam, seconds, exponent) {
  const { rate, length } = plan,
    cues = plan.cues.slice(),
    [before, after] = cues.slice(seam, seam + 2),
    rounded = Math.round(1e6 * seconds) / 1e6
  const fade = { ...before.fade_out, seconds: rounded, exponent: Math.round(1e4 * exponent) / 1e4 },
    from = fade.centre - rounded / 2,
    to = fade.centre + rounded / 2
  const glides = after.gain_in_db === after.gain_db ? 0 : after.glide_seconds,
    rising = after.begins + Math.max(glides, rounded / 2)
  cues[seam] = {
    ...before,
    fade_out: fade,
    stop: Math.min(length, Math.floor(to * rate) + 1),
    steady_to: Math.floor(from * rate),
  }
  cues[seam + 1] = {
    ...after,
    fade_in: fade,
    first: Math.max(0, Math.ceil(from * rate)),
    steady_from: Math.ceil(rising * rate),
  }
  return { ...plan, cues }
}

/** What `Sound` plays of one lane, as it leaves the context: the same code on a clock that does not wait. */
export async function playOffline(url, plan, points, from, to, speechBand = []) {
  const head = await new Recording(url).open()
  const context = new OfflineAudioContext(head.channels, Math.round((to - from) * head.rate), head.rate)
  const sound = new Sound(context, ["music"])
  sound.speechBand = speechBand
  sound.fault = (error) => {
    throw error
  }
  sound.set("music", url, plan, points)
  const lane = sound.lanes.music
  lane.gain.gain.value = 1
  await sound.prepare(from)
  sound.run = { frame: 0, n: Math.round(from * head.rate), from: 0, to: 0 }
  sound.lay(lane, 0, false)
  await sound.fill(to - from)
  const buffer = await context.startRendering()
  return Array.from({ length: buffer.numberOfChannels }, (_, c) => buffer.getChannelData(c))
}
