// The page of a link: its sound is the clock, the picture follows it. Nothing is sent but requests for both files, and
// answers where the link takes them: then the page comes back, and what was said on it so far is shown here.
const byId = (id) => document.getElementById(id)
const factsOf = (page) => JSON.parse(page.getElementById("facts").textContent)
const facts = factsOf(document)
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
const markComments = (times) => {
  for (const old of strip.querySelectorAll(".comment")) old.remove()
  for (const at of times) mark("comment", at)
}
markComments(facts.comments)
const answer = byId("answer")
const head = mark("head", 0)

function show() {
  const at = sound.currentTime
  head.style.left = `${(100 * Math.min(at, facts.duration)) / facts.duration}%`
  byId("time").textContent = `${clock(at)} / ${clock(facts.duration)}`
  strip.setAttribute("aria-valuenow", at.toFixed(1))
  strip.setAttribute("aria-valuetext", byId("time").textContent)
  byId("play").textContent = sound.paused ? "Play" : "Pause"
  if (answer) answer.elements.seam.options[0].textContent = `at ${clock(at)}`
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
  if (event.target.matches("input, textarea, select")) return // they are written there
  if (event.key === " " && event.target.matches("button")) return // it presses that
  event.preventDefault()
  act(event)
})
strip.setAttribute("aria-valuemax", facts.duration.toFixed(1))
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-at]")
  if (!button) return
  go(Number(button.dataset.at))
  if (event.detail) button.blur() // it was a pointer: the keys go to the player again
})
let sending = false
async function send(given) {
  if (sending) return
  sending = true
  const { elements } = answer
  const body = JSON.stringify({ name: elements.name.value, ...given })
  byId("fault").textContent = ""
  try {
    const response = await fetch(location.pathname, { method: "POST", body }).catch(() => {
      throw new Error("This could not be sent: the page cannot be reached now.")
    })
    const page = new DOMParser().parseFromString(await response.text(), "text/html")
    if (!response.ok) throw new Error((page.querySelector("main p") ?? page.body).textContent)
    byId("answers").replaceWith(page.getElementById("answers"))
    markComments(factsOf(page).comments)
    if (given.text) elements.text.value = elements.seam.value = ""
  } catch (error) {
    byId("fault").textContent = error.message
  } finally {
    sending = false
  }
}
answer?.addEventListener("submit", (event) => {
  event.preventDefault()
  const { text, seam } = answer.elements
  const decision = event.submitter.value
  if (decision) send({ decision })
  else if (text.value.trim())
    send({ text: text.value, at: sound.currentTime, seam: seam.value === "" ? null : Number(seam.value) })
})
show()
