// The way out of the page: one AudioContext, one volume, and one thing that sounds at a time. Put in front of the scripts
// that need it, which all find the same one.

const output = (window.workbenchOutput ??= { context: null, volume: null, level: 1, sounding: null })

/** The page's AudioContext. One of another rate stops what sounds; without a rate, any is taken. */
function openOutput(rate = 0) {
  if (output.context && (!rate || output.context.sampleRate === rate)) return output.context
  output.sounding?.stop()
  output.context?.close()
  const context = new AudioContext(rate ? { sampleRate: rate } : {})
  output.context = context
  output.volume = context.createGain()
  output.volume.gain.value = output.level
  output.volume.connect(context.destination)
  return context
}
/** Let something sound: {title, at(), seconds(), stop()}, s. What sounded until now stops. */
function beginSounding(sounding) {
  const before = output.sounding
  output.sounding = sounding
  if (before !== sounding) before?.stop()
  window.dispatchEvent(new CustomEvent("workbench-sounding"))
}
function endSounding(sounding) {
  if (output.sounding !== sounding) return
  output.sounding = null
  window.dispatchEvent(new CustomEvent("workbench-sounding"))
}
/** Say on the page that something cannot be played, and take it back once it can. */
const tellFault = (words) => window.dispatchEvent(new CustomEvent("workbench-fault", { detail: words }))
const endFault = (words) => window.dispatchEvent(new CustomEvent("workbench-fault-over", { detail: words }))
