// Times of the player: as they are written and copied, and where one is. Put in front of the scripts that need it.

/** Minutes, seconds and tenths. */
const clock = (s) => {
  const sign = s < 0 ? "-" : ""
  const tenths = Math.round(Math.abs(s) * 10)
  const minutes = Math.floor(tenths / 600)
  return `${sign}${minutes}:${((tenths - minutes * 600) / 10).toFixed(1).padStart(4, "0")}`
}
/** Hours, minutes, seconds and pictures, as editors write a time; no numbers are dropped at 29.97 pictures a second. */
const timecode = (s, fps) => {
  const each = Math.round(fps),
    picture = Math.floor(s * fps + 1e-6)
  const seconds = Math.floor(picture / each)
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60, picture % each]
    .map((part) => String(part).padStart(2, "0"))
    .join(":")
}
/** Copy a text; returns whether that could be done. */
function copyText(text) {
  const field = document.createElement("textarea")
  field.value = text
  field.style.cssText = "position:fixed;opacity:0"
  document.body.append(field)
  field.select()
  // Not `navigator.clipboard`: a page from another machine of the network has none without TLS.
  const copied = document.execCommand("copy")
  field.remove()
  return copied
}
/** Seconds at which the player that is seen stands or plays, at this moment; null where there is none. */
const playerTime = () => {
  const asked = { at: null }
  window.dispatchEvent(new CustomEvent("workbench-where", { detail: asked }))
  return asked.at
}
