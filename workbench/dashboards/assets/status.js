// The page's head: what it is about, files to open and to take away, what is being done, what went wrong last; and what
// holds for the whole page.
const NOTICE_MS = 6000

/** Before anything is drawn. */
export function initialize() {
  const doc = window.Bokeh.documents.at(-1)
  // All is drawn light or dark at once; the server hears of it later (`prefer`).
  const dark_theme = window.workbenchTheme.isDark()
  for (const { data } of componentsIn(doc))
    if ("dark_theme" in data.properties) data.setv({ dark_theme }, { sync: false })
  announceAgain(doc)
}

export function render({ model }) {
  const bar = made("div", "", "status"),
    tell = sender(model)
  bar.innerHTML = `<a class="projects" title="all projects">Projects</a><h1 class="subject"></h1>
    <div class="tabs" role="tablist" aria-label="views"></div>
    <div class="news"><div class="notice"><span class="fault" role="alert"></span><button class="look">Look</button><button class="dismiss" title="take this message away" aria-label="take this message away">✕</button></div>
    <span class="work" role="status"><span class="stage"></span><progress max="1" aria-label="how far it is"></progress><button class="stop">Cancel</button></span></div>
    <span class="steps"><button class="undo">↶</button><button class="redo">↷</button></span>
    <span class="menu"><button class="steps-made" aria-haspopup="true" aria-expanded="false">History</button>
      <div class="sheet" hidden><ol class="made"></ol></div></span>
    <span class="menu"><button class="open" aria-haspopup="true" aria-expanded="false">Open</button>
      <div class="sheet" hidden><p>Drop a video or a track anywhere on the page, or</p>
        <p><button class="pick">Choose a file</button><input type="file" accept="audio/*,video/*" hidden></p>
        <form role="search"><label>Or a track of the catalog, by title, artist, tag or id<br>
          <input name="track" type="search" autocomplete="off"></label></form>
        <div class="found" aria-live="polite"></div>
        <p><button class="demo">The demo</button></p></div></span>
    <span class="menu"><button class="take" aria-haspopup="true" aria-expanded="false">Download</button>
      <div class="sheet list" hidden></div></span>
    <div class="drop" hidden><span>Drop a video or a track</span></div>`
  const part = (name) => bar.querySelector("." + name)
  let sending = null
  const waiting = []
  const paint = () => {
    part("subject").textContent = model.subject || "Barline Workbench"
    part("subject").title = model.subject
    part("fault").textContent = model.message
    part("dismiss").hidden = !model.message
    part("look").hidden = !model.elsewhere
    part("work").hidden = !model.stage && !sending
    part("stage").textContent = part("work").title = sending ? `sending ${sending.name}` : model.stage
    const progress = bar.querySelector("progress"),
      done = sending ? sending.done : model.done
    if (done > 0) progress.value = done
    else progress.removeAttribute("value")
    const last = model.history.findLast(([, undone, , theirs]) => !undone && !theirs),
      next = model.history.find(([, undone, , theirs]) => undone && !theirs)
    const step = (name, what, change, keys) => {
      part(name).disabled = !change
      part(name).title = part(name).ariaLabel = change ? `${what}: ${change[0]} (${keys})` : `nothing to ${what}`
    }
    step("undo", "undo", last, "Ctrl+Z")
    step("redo", "redo", next, "Ctrl+Shift+Z")
    part("steps-made").disabled = !model.history.length
    part("made").replaceChildren(
      ...model.history.map(([words, undone, at, theirs]) => {
        const item = made("li", theirs ? `${words} (in another window)` : words, undone ? "undone" : "")
        item.title = `${new Date(at).toLocaleString()}${undone ? ", undone" : ""}`
        return item
      }),
    )
    part("projects").href = `?${model.projects}`
    part("take").disabled = !model.formats.length
    part("take").title = model.taken
    part("list").replaceChildren(
      made("p", model.taken),
      ...model.formats.map(([name, title, what]) => choice(title, what, "asked", name)),
    )
  }
  /** A line of a sheet, which tells the server that it was chosen. */
  const choice = (title, what, name, value) => {
    const item = button("", "", () => choose(name, value), "format")
    item.append(made("b", title), made("span", what))
    return item
  }
  const choose = (name, value) => {
    close()
    tell(name, value)
  }
  // The tabs: one stop of the Tab key; arrows move the focus, and Enter or a click opens.
  const tabs = part("tabs")
  /** Let one tab be seen. The others stay laid out, so that none has to be measured again when it comes back. */
  const show = (title) => {
    for (const name of model.tabs)
      document.documentElement.style.setProperty(`--place-${name}`, name === title ? "visible" : "hidden")
  }
  /** Show a tab that was open before at once; what has changed for it comes from the server a moment later. */
  const showAtOnce = (title) => {
    const placeOf = (name) =>
      window.Bokeh.documents.map((doc) => doc.get_model_by_name(`place-${name}`)).find((found) => found)
    if (placeOf(title)?.children.length) show(title)
  }
  const paintTabs = () => {
    tabs.hidden = !model.tabs.length
    if (tabs.childElementCount !== model.tabs.length)
      tabs.replaceChildren(
        ...model.tabs.map((title) => {
          const tab = button(title, "", () => {
            showAtOnce(title)
            model.tab = title
          })
          tab.setAttribute("role", "tab")
          return tab
        }),
      )
    for (const tab of tabs.children) {
      const chosen = tab.textContent === model.tab
      tab.setAttribute("aria-selected", chosen ? "true" : "false")
      tab.tabIndex = chosen ? 0 : -1
      // Sideways only: the page itself does not move.
      if (chosen) tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.clientWidth) / 2
    }
  }
  tabs.addEventListener("keydown", (event) => {
    const all = [...tabs.children],
      at = all.indexOf(event.target)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key]
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    all[(to + all.length) % all.length].focus()
  })
  const sheets = [...bar.querySelectorAll(".menu")]
  const close = () => {
    for (const menu of sheets) {
      menu.querySelector(".sheet").hidden = true
      menu.firstElementChild.setAttribute("aria-expanded", "false")
    }
  }
  for (const menu of sheets) {
    menu.firstElementChild.addEventListener("click", () => {
      const sheet = menu.querySelector(".sheet"),
        opens = sheet.hidden
      close()
      sheet.hidden = !opens
      if (opens && menu.contains(field)) {
        look()
        field.focus()
      }
      menu.firstElementChild.setAttribute("aria-expanded", opens ? "true" : "false")
    })
  }
  const typed = (event) =>
    event
      .composedPath()
      .some((node) => node.matches?.("input:not([type=range], [type=checkbox], [type=radio]), textarea"))
  const keydown = (event) => {
    if (event.key === "Escape") close()
    if (!(event.ctrlKey || event.metaKey) || event.altKey || typed(event)) return
    const key = event.key.toLowerCase()
    if (key === "z" && !event.shiftKey) tell("undone")
    else if (key === "y" || key === "z") tell("redone")
    else return
    event.preventDefault()
  }
  const openSheet = () => {
    close()
    part("open").click()
  }
  part("look").addEventListener("click", () => {
    if (part("made").closest(".sheet").hidden) part("steps-made").click()
  })
  part("undo").addEventListener("click", () => tell("undone"))
  part("redo").addEventListener("click", () => tell("redone"))
  const pointerdown = (event) => {
    if (!event.composedPath().some((node) => sheets.includes(node))) close()
  }
  listen(model, document, { keydown, pointerdown })

  function send(files) {
    close()
    waiting.push(...files)
    if (!sending && waiting.length) sendNext()
  }
  function sendNext() {
    const file = waiting.shift()
    const request = new XMLHttpRequest()
    sending = { name: file.name, done: 0, request }
    request.open("PUT", `${model.uploads}/${encodeURIComponent(file.name)}`)
    request.setRequestHeader("X-Workbench", "upload")
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) {
        sending.done = event.loaded / event.total
        paint()
      }
    })
    request.addEventListener("loadend", () => {
      sending = null
      if (waiting.length) sendNext()
      if (request.status === 200) tell("sent", JSON.parse(request.responseText).name)
      else if (request.status) model.message = `${file.name} could not be taken (${request.status})`
      paint()
    })
    request.addEventListener("error", () => {
      model.message = `${file.name} could not be sent; is the dashboard still running?`
    })
    request.send(file)
    paint()
  }
  part("stop").addEventListener("click", () => {
    waiting.length = 0
    if (sending) sending.request.abort()
    else tell("cancelled")
  })
  part("dismiss").addEventListener("click", () => {
    model.message = ""
    paint()
  })
  // What one should know goes by itself, unless one is about to press something of it.
  let passing = null
  const pass = () => {
    clearTimeout(passing)
    if (model.message && model.passes)
      passing = setTimeout(() => {
        if (part("notice").matches(":hover, :focus-within")) pass()
        else part("dismiss").click()
      }, NOTICE_MS)
  }
  const chooser = bar.querySelector("input[type=file]")
  part("pick").addEventListener("click", () => chooser.click())
  chooser.addEventListener("change", () => {
    send(chooser.files)
    chooser.value = ""
  })
  const field = bar.querySelector("input[name=track]")
  let looking = null
  const look = () => {
    clearTimeout(looking)
    tell("wanted", field.value.trim())
  }
  field.addEventListener("input", () => {
    clearTimeout(looking)
    looking = setTimeout(look, 150)
  })
  // Enter takes the first that was found for what is typed, so it waits for that.
  let takesFirst = false
  bar.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault()
    takesFirst = field.value.trim() !== ""
    look()
  })
  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`
  const showFound = () => {
    const [found, number] = model.found
    if (number !== model.wanted[1]) return
    part("found").replaceChildren(
      ...found.map((track) => {
        const facts = [
          track.seconds ? clock(track.seconds) : "",
          track.bpm ? `${Math.round(track.bpm)} bpm` : "",
          track.tags,
        ]
        const title = [track.title, track.artist].filter(Boolean).join(" – ")
        return choice(title, facts.filter(Boolean).join(" · "), "named", track.id)
      }),
    )
    if (!found.length) part("found").textContent = field.value ? "No track has these words." : "The catalog is empty."
    if (takesFirst && found.length) choose("named", found[0].id)
    takesFirst = false
  }
  model.on("found", showFound)
  part("demo").addEventListener("click", () => choose("named", ""))
  const hasFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files")
  const dragover = (event) => {
    if (hasFiles(event)) {
      event.preventDefault()
      part("drop").hidden = false
    }
  }
  const dragleave = (event) => {
    if (!event.relatedTarget) part("drop").hidden = true
  }
  const drop = (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    part("drop").hidden = true
    send(event.dataTransfer.files)
  }
  const fault = (event) => {
    model.message = event.detail
  }
  const faultOver = (event) => {
    if (model.message === event.detail) model.message = ""
  }
  listen(model, window, { dragover, dragleave, drop, "workbench-open": openSheet })
  listen(model, window, { "workbench-fault": fault, "workbench-fault-over": faultOver })
  model.on("ready", () => {
    if (!model.ready.length) return
    const link = made("a")
    link.href = model.ready[0]
    link.download = model.ready[1]
    bar.append(link)
    link.click()
    link.remove()
  })
  model.on(["subject", "stage", "done", "message", "elsewhere", "formats", "taken", "history"], paint)
  model.on(["message", "passes"], pass)
  model.on(["tabs", "tab"], paintTabs)
  model.on(["tabs", "shown"], () => show(model.shown))
  const { workbenchTheme } = window
  const prefer = () => tell("prefers", workbenchTheme.isDark())
  const unfollow = workbenchTheme.follow(prefer)
  model.on("dark", () => workbenchTheme.keep(model.dark))
  model.on("remove", () => {
    clearTimeout(looking)
    clearTimeout(passing)
    unfollow()

    waiting.length = 0
    sending?.request.abort()
  })
  paint()
  paintTabs()
  show(model.shown)
  prefer()
  model.window = windowName()
  return bar
}

/**
 * Of this window of the browser, also after the page was loaded again. While the page is there its storage has no name:
 * a tab that is duplicated gets a copy of the storage, and is another window.
 */
function windowName() {
  const key = "workbench-window"
  const name = sessionStorage.getItem(key) ?? [...crypto.getRandomValues(new Uint32Array(2))].join("-")
  const forget = () => sessionStorage.removeItem(key)
  forget()
  window.addEventListener("pagehide", () => sessionStorage.setItem(key, name))
  window.addEventListener("pageshow", forget)
  return name
}
