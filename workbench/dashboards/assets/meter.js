// Measures sound on the audio thread, in steps of 100 ms: K-weighted energy of each input, true peak of the first.
// The same filters as workbench/features/loudness.py (ITU-R BS.1770); a browser test compares them.

const TAPS = 48,
  HALF = TAPS / 2
const WEIGHTS = { 4: [1, 1, 1.41, 1.41], 5: [1, 1, 1, 1.41, 1.41], 6: [1, 1, 1, 0, 1.41, 1.41] }

/** Both sections of the K-weighting, [b0, b1, b2, a1, a2] each. */
function kWeighting(rate) {
  let k = Math.tan((Math.PI * 1681.974450955533) / rate),
    q = 0.7071752369554196
  const high = Math.pow(10, 3.999843853973347 / 20),
    band = Math.pow(high, 0.4996667741545416)
  let norm = 1 + k / q + k * k
  const shelf = [
    (high + (band * k) / q + k * k) / norm,
    (2 * (k * k - high)) / norm,
    (high - (band * k) / q + k * k) / norm,
    (2 * (k * k - 1)) / norm,
    (1 - k / q + k * k) / norm,
  ]
  k = Math.tan((Math.PI * 38.13547087602444) / rate)
  q = 0.5003270373238773
  norm = 1 + k / q + k * k
  return [shelf, [1, -2, 1, (2 * (k * k - 1)) / norm, (1 - k / q + k * k) / norm]]
}

/** The filters that give the waveform at 1/4, 2/4 and 3/4 of a sample; `loudness.interpolator`. */
function interpolator() {
  const bessel = (x) => {
    let sum = 1,
      term = 1
    for (let n = 1; term > 1e-12 * sum; n++) sum += term *= (x / (2 * n)) ** 2
    return sum
  }
  return [0.25, 0.5, 0.75].map((phase) => {
    const taps = Float64Array.from({ length: TAPS }, (_, j) => {
      const distance = j - HALF + 1 - phase
      const sinc = Math.sin(Math.PI * distance) / (Math.PI * distance)
      return (sinc * bessel(5 * Math.sqrt(Math.max(0, 1 - (distance / HALF) ** 2)))) / bessel(5)
    })
    const sum = taps.reduce((total, tap) => total + tap, 0)
    return taps.map((tap) => tap / sum)
  })
}

/** Filters a channel and sums its energy. */
class Weighting {
  constructor(sections) {
    this.sections = sections
    this.state = [0, 0, 0, 0]
  }
  energy(samples, from, to) {
    const [[b0, b1, b2, a1, a2], [c0, c1, c2, d1, d2]] = this.sections
    let [s1, s2, t1, t2] = this.state,
      sum = 0
    for (let i = from; i < to; i++) {
      const x = samples[i],
        y = b0 * x + s1
      s1 = b1 * x - a1 * y + s2
      s2 = b2 * x - a2 * y
      const z = c0 * y + t1
      t1 = c1 * y - d1 * z + t2
      t2 = c2 * y - d2 * z
      sum += z * z
    }
    this.state = [s1, s2, t1, t2].map((s) => (Math.abs(s) < 1e-30 ? 0 : s))
    return sum
  }
}

/** Finds the highest value of a channel's waveform, at its samples and between them. */
class Peak {
  constructor(taps) {
    this.taps = taps
    // what no waveform between samples exceeds, as a multiple of the highest sample around it
    this.reach = Math.max(...taps.map((phase) => phase.reduce((sum, tap) => sum + Math.abs(tap), 0)))
    this.held = new Float32Array(0)
    this.before = new Float32Array(TAPS)
  }
  highest(samples, from, to, worth) {
    const count = to - from
    if (this.held.length !== TAPS + count) this.held = new Float32Array(TAPS + count)
    const held = this.held
    held.set(this.before)
    held.set(samples.subarray(from, to), TAPS)
    let top = 0
    for (let i = 0; i < held.length; i++) top = Math.max(top, Math.abs(held[i]))
    let peak = worth
    for (let i = TAPS; i < held.length; i++) peak = Math.max(peak, Math.abs(held[i]))
    if (top * this.reach > peak)
      for (const phase of this.taps)
        for (let first = 1; first <= count; first++) {
          let value = 0
          for (let j = 0; j < TAPS; j++) value += phase[j] * held[first + j]
          peak = Math.max(peak, Math.abs(value))
        }
    this.before = held.slice(held.length - TAPS)
    return peak
  }
}

class Meter extends AudioWorkletProcessor {
  constructor() {
    super()
    this.sections = kWeighting(sampleRate)
    this.taps = interpolator()
    this.channels = new Map() // "input channel": its filters
    this.clear()
    this.port.addEventListener("message", () => this.clear())
    this.port.start()
  }
  clear() {
    this.channels.clear()
    this.hop = 0
    this.done = 0 // samples since it was cleared
    this.energy = [0, 0, 0]
    this.peak = 0
  }
  process(inputs) {
    const length = inputs.find((input) => input.length)?.[0].length ?? 128
    for (let from = 0; from < length;) {
      const ends = Math.round(((this.hop + 1) * sampleRate) / 10),
        to = Math.min(length, from + ends - this.done)
      inputs.forEach((input, number) => this.measure(input, number, from, to))
      this.done += to - from
      from = to
      if (this.done < ends) continue
      const begins = Math.round((this.hop * sampleRate) / 10)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port leads to one place only
      this.port.postMessage({ power: this.energy.map((sum) => sum / (ends - begins)), peak: this.peak })
      this.hop++
      this.energy = [0, 0, 0]
      this.peak = 0
    }
    return true
  }
  measure(input, number, from, to) {
    const weights = WEIGHTS[input.length] ?? []
    input.forEach((samples, channel) => {
      const name = `${number} ${channel}`
      if (!this.channels.has(name))
        this.channels.set(name, { weighting: new Weighting(this.sections), peak: new Peak(this.taps) })
      const filters = this.channels.get(name)
      this.energy[number] += (weights[channel] ?? 1) * filters.weighting.energy(samples, from, to)
      if (number === 0) this.peak = filters.peak.highest(samples, from, to, this.peak)
    })
  }
}
registerProcessor("workbench-meter", Meter)
