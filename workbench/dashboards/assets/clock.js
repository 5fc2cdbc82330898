// Times of the player: as they are written, and where one is. Put in front of the scripts that need it.

/** Minutes, seconds and tenths. */
const clock = (s) => {
  const sign = s < 0 ? "-" : ""
  const tenths = Math.round(Math.abs(s) * 10)
  const minutes = Math.floor(tenths / 600)
  return `${sign}${minutes}:${((tenths - minutes * 600) / 10).toFixed(1).padStart(4, "0")}`
}
/** Seconds at which the player that is seen stands or plays, at this moment; null where there is none. */
const playerTime = () => {
  const asked = { at: null }
  window.dispatchEvent(new CustomEvent("workbench-where", { detail: asked }))
  return asked.at
}
