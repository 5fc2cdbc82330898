// The browser's address and history follow the page, and the page follows back and forward. When the connection to the
// server is lost, a bar says so, and the page is loaded again at its address as soon as the server answers.
const SETTLE_MS = 60
// several changes that come together are one entry; while music plays the time is written once a second
const TIME_MS = 1000
const FIRST_WAIT_S = 1
const LONGEST_WAIT_S = 15

export function render({ model, view }) {
  const place = (query) => {
    const found = new URLSearchParams(query)
    found.delete("time")
    return found.toString()
  }
  let follows = true,
    writing = null,
    timing = null
  const write = () => {
    clearTimeout(writing)
    clearTimeout(timing)
    writing = timing = null
    const [query] = model.place
    if (!query) return
    const wanted = new URLSearchParams(query)
    if (model.time > 0) wanted.set("time", model.time.toFixed(1))
    const address = `${location.pathname}?${wanted}`
    // A project that was just opened, without a tab in its address, is no place of its own.
    const here = new URLSearchParams(location.search)
    const arrives = !here.has("tab") && !here.has("page")
    if (follows || arrives || place(query) === place(location.search)) history.replaceState(null, "", address)
    else history.pushState(null, "", address)
    follows = true
  }
  model.on("place", () => {
    follows = follows && model.place[1]
    clearTimeout(writing)
    writing = setTimeout(write, SETTLE_MS)
  })
  model.on("time", () => {
    if (timing === null && writing === null) timing = setTimeout(write, TIME_MS)
  })
  const name = () => {
    if (model.title) document.title = model.title
  }
  model.on("title", name)
  const goBack = () => {
    clearTimeout(writing)
    clearTimeout(timing)
    writing = timing = null
    follows = true
    const project = (query) => new URLSearchParams(query).get("project") ?? ""
    if (project(location.search) !== project(model.place[0])) location.reload()
    else sender(model)("asked", location.search.slice(1))
  }
  const leave = () => {
    if (writing !== null || timing !== null) write()
  }
  listen(model, window, { popstate: goBack, pagehide: leave })
  watchConnection(model, view.model.document, new URL(model.alive, document.baseURI))
  name()
  write()
  return document.createElement("span")
}

function watchConnection(model, page, alive) {
  let bar = null,
    timer = null,
    wait = FIRST_WAIT_S
  const ask = async () => {
    clearTimeout(timer)
    bar.lastChild.disabled = true
    try {
      // Whatever it answers, it answers: a server that wants its key again says so when the page is loaded.
      await fetch(alive, { cache: "no-store" })
      location.reload()
    } catch {
      count(wait)
      wait = Math.min(2 * wait, LONGEST_WAIT_S)
    }
  }
  const count = (seconds) => {
    bar.lastChild.disabled = false
    bar.firstChild.textContent =
      "The connection to the workbench is lost. What was done is kept; what you change now is not. " +
      `Trying again in ${seconds} s.`
    timer = seconds > 0 ? setTimeout(() => count(seconds - 1), 1000) : setTimeout(ask, 0)
  }
  const lost = () => {
    if (bar) return
    bar = made("div", "", "connection-lost")
    bar.setAttribute("role", "alert")
    bar.style.cssText =
      "position:fixed;inset:0 0 auto 0;z-index:3000;display:flex;gap:16px;justify-content:center;align-items:center;" +
      "padding:10px 16px;background:#8a1c00;color:#fff;font:14px/1.4 system-ui,'DejaVu Sans',sans-serif"
    const now = button("Try now", "", ask)
    now.style.cssText =
      "font:inherit;color:inherit;background:transparent;border:1px solid currentColor;border-radius:4px;padding:2px 12px"
    bar.append(made("span"), now)
    document.body.append(bar)
    count(0)
  }
  const askSoon = () => {
    if (bar && document.visibilityState === "visible") ask()
  }
  page.on_event("connection_lost", lost)
  listen(model, window, { online: askSoon })
  listen(model, document, { visibilitychange: askSoon })
  model.on("remove", () => clearTimeout(timer))
}
