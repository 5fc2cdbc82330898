// The page of a link: its sound is the clock, the picture follows it. Nothing is sent but requests for both files.
const facts = JSON.parse(document.getElementById("facts").textContent)
const byId = (id) => document.getElementById(id)
const sound = new Audio(),
  video = byId("video"),
  strip = byId("strip"),
  said = byId("said")
const FAR_S = 0.08 // that the picture may be away from the sound
sound.preload = "metadata"

const mark = (kind, at) => {
  const made = document.createElement("i")
  made.className = kind
  made.style.left = `${(100 * at) / facts.duration}%`
  strip.append(made)
  return made
}
facts.seams.forEach((at, k) => {
  mark("seam", at).title = `seam ${k + 1}, ${clock(at)}`
})
for (const at of facts.comments) mark("comment", at)
const head = mark("head", 0)

function show() {
  const at = sound.currentTime
  head.style.left = `${(100 * Math.min(at, facts.duration)) / facts.duration}%`
  byId("time").textContent = `${clock(at)} / ${clock(facts.duration)}`
  strip.setAttribute("aria-valuenow", at.toFixed(1))
  strip.setAttribute("aria-valuetext", byId("time").textContent)
  byId("play").textContent = sound.paused ? "Play" : "Pause"
  if (!video.hidden && Math.abs(video.currentTime - at) > FAR_S) video.currentTime = at
  if (!sound.paused) requestAnimationFrame(show)
}
function go(at) {
  sound.currentTime = at
  show()
}
if (facts.video) {
  video.addEventListener("loadeddata", () => {
    video.hidden = false
    show()
  })
  video.src = facts.video
}
function playOrPause() {
  if (!sound.paused) {
    sound.pause()
    return
  }
  if (!sound.src) {
    said.textContent = "The sound is being prepared."
    sound.src = facts.sound
  }
  sound.play().catch(() => {
    said.textContent = "The sound cannot be played: the link has expired, or its files have changed."
  })
}
byId("play").addEventListener("click", playOrPause)
sound.addEventListener("playing", () => {
  said.textContent = ""
  if (!video.hidden) video.play().catch(() => {})
  show()
})
for (const name of ["pause", "ended"])
  sound.addEventListener(name, () => {
    video.pause()
    show()
  })
strip.addEventListener("click", (event) => {
  const box = strip.getBoundingClientRect()
  go(((event.clientX - box.left) / box.width) * facts.duration)
})
const keys = {
  " ": playOrPause,
  ArrowLeft: (event) => go(Math.max(0, sound.currentTime - (event.shiftKey ? 5 : 1))),
  ArrowRight: (event) => go(Math.min(facts.duration, sound.currentTime + (event.shiftKey ? 5 : 1))),
  Home: () => go(0),
}
document.addEventListener("keydown", (event) => {
  const act = keys[event.key]
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === " " && event.target.matches("button")) return // it presses that
  event.preventDefault()
  act(event)
})
strip.setAttribute("aria-valuemax", facts.duration.toFixed(1))
for (const button of document.querySelectorAll("[data-at]"))
  button.addEventListener("click", (event) => {
    go(Number(button.dataset.at))
    if (event.detail) button.blur() // it was a pointer: the keys go to the player again
  })
show()
