// The page of a link: its sound is the clock, the picture follows it. Nothing is sent but requests for both files.
const facts = JSON.parse(document.getElementById("facts").textContent)
const byId = (id) => document.getElementById(id)
const sound = new Audio(),
  video = byId("video"),
  strip = byId("strip"),
  said = byId("said")
const FAR_S = 0.08 // that the picture may be away from the sound
sound.preload = "metadata"

const clock = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`
const mark = (kind, at) => {
  const made = document.createElement("i")
  made.className = kind
  made.style.left = `${(100 * at) / facts.duration}%`
  strip.append(made)
  return made
}
for (const at of facts.seams) mark("seam", at)
for (const at of facts.comments) mark("comment", at)
const head = mark("head", 0)

function show() {
  const at = sound.currentTime
  head.style.left = `${(100 * Math.min(at, facts.duration)) / facts.duration}%`
  byId("time").textContent = `${clock(at)} / ${clock(facts.duration)}`
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
byId("play").addEventListener("click", () => {
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
})
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
for (const button of document.querySelectorAll("[data-at]"))
  button.addEventListener("click", () => go(Number(button.dataset.at)))
show()
