// What reviewers said about the plan: a strip with pins, a form at the playhead, threads, decisions, versions and links.
const BESIDE = 4 // px between a seam's line and its number, and from there to the next line
const seek = (at) => window.dispatchEvent(new CustomEvent("workbench-seek", { detail: at }))

export function render({ model }) {
  const box = made("div", "", "review")
  const strip = made("div", "", "strip"),
    left = made("section"),
    right = made("aside")
  strip.setAttribute("aria-hidden", "true") // the lists below have the same, for keys too
  box.append(strip, left, right)
  const asks = asker(model)
  const ask = (...wish) => asks(model.playing, ...wish) // by then something else may play
  const waits = () => model.asked.some(([number]) => number > model.taken)

  // the form: built once, so that what is being written stays
  const form = made("form", "", "form"),
    text = made("textarea"),
    side = made("div", "", "side"),
    about = made("select"),
    send = made("button", "Comment", "main")
  text.placeholder = "What do you hear?"
  text.setAttribute("aria-label", "comment")
  text.maxLength = 4000
  about.setAttribute("aria-label", "what the comment is about")
  send.type = "submit"
  side.append(about, send)
  form.append(text, side)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    if (text.value.trim() && !waits()) ask("comment", text.value, Number(about.value), playerTime())
  })
  const threads = made("div")
  threads.setAttribute("aria-live", "polite")
  left.append(made("h2", "Comments"), form, threads)

  const paintAbout = () => {
    const chosen = about.value
    const options = [[-1, `at ${clock(model.time)}`], ...model.seams.map((at, k) => [k, `seam ${k + 1}, ${clock(at)}`])]
    if (about.options.length === options.length) {
      options.forEach(([, words], k) => {
        if (about.options[k].textContent !== words) about.options[k].textContent = words
      })
      return
    }
    about.replaceChildren(
      ...options.map(([value, words]) => {
        const option = made("option", words)
        option.value = value
        return option
      }),
    )
    about.value = [...about.options].some((option) => option.value === chosen) ? chosen : "-1"
  }
  const paintStrip = () => {
    const share = (at) => `${(100 * at) / Math.max(model.duration, 0.001)}%`
    const pins = model.threads.map((thread) => {
      const pin = made("b", "", thread.resolved_by ? "resolved" : "")
      pin.style.left = share(thread.at)
      pin.title = `${thread.reviewer}: ${thread.text}`
      return pin
    })
    const seams = model.seams.map((at, k) => {
      const line = made("i")
      line.style.left = share(at)
      line.title = `seam ${k + 1}, ${clock(at)}`
      line.append(made("span"))
      return line
    })
    strip.replaceChildren(...seams, ...pins)
    placeNumbers()
  }
  // A seam's number is to the right of its line, else to the left of it; where there is no room either, its title says it.
  const placeNumbers = () => {
    const width = strip.clientWidth
    if (!width) return // in a tab that is not seen
    const lines = [...strip.querySelectorAll("i")]
    const at = lines.map((line) => line.offsetLeft + line.offsetWidth / 2)
    let taken = 0, // up to here, px
      named = false
    lines.forEach((line, k) => {
      const number = line.firstChild
      number.hidden = false // to be measured
      number.textContent = named ? `${k + 1}` : `seam ${k + 1}`
      const room = number.offsetWidth + 2 * BESIDE
      const fits = at[k] + room <= (at[k + 1] ?? width)
      number.hidden = !fits && at[k] - room < taken
      number.className = fits ? "" : "left"
      taken = at[k] + (fits ? room : 0)
      named ||= !number.hidden
    })
  }
  onResize(model, strip, placeNumbers)
  strip.addEventListener("click", (event) => {
    const bounds = strip.getBoundingClientRect()
    seek(((event.clientX - bounds.left) / bounds.width) * model.duration)
  })

  // what stands there is left alone, so that a click or a word is not lost to a list that came anew
  const changed = (() => {
    const painted = new Map()
    return (what, state) => {
      const now = JSON.stringify(state)
      if (painted.get(what) === now) return false
      painted.set(what, now)
      return true
    }
  })()
  const drafts = new Map() // answers that are being written, by thread
  const sent = new Map() // answers that the server has not taken yet, by thread
  const thread = (one) => {
    const card = made("article", "", one.resolved_by ? "resolved" : ""),
      head = made("header", "", "row")
    const place = one.seam < 0 ? "" : `seam ${one.seam + 1}`
    head.append(
      button(clock(one.at), `go to ${clock(one.at)}`, () => seek(one.at)),
      made("b", one.reviewer),
      made("small", [place, one.when, `version ${one.version}`].filter(Boolean).join(" · ")),
    )
    card.append(head, made("p", one.text))
    for (const answer of one.answers) {
      const line = made("p", "", "answer")
      line.append(made("b", answer.reviewer), ` ${answer.text} `, made("small", answer.when))
      card.append(line)
    }
    const row = made("div", "", "row")
    if (one.resolved_by) {
      row.append(
        made("small", `resolved by ${one.resolved_by}`),
        button("Open again", "", () => ask("open", one.id)),
      )
    } else {
      const answer = madeInput({ placeholder: "Answer", ariaLabel: `answer to ${one.reviewer}`, maxLength: 4000 })
      answer.value = drafts.get(one.id) ?? ""
      answer.dataset.thread = one.id
      const say = () => {
        if (!answer.value.trim() || waits()) return
        sent.set(one.id, answer.value)
        ask("answer", one.id, answer.value)
      }
      answer.addEventListener("input", () => drafts.set(one.id, answer.value))
      answer.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.isComposing) say()
      })
      row.append(
        answer,
        button("Answer", "", say),
        button("Resolve", "", () => ask("resolve", one.id)),
      )
    }
    card.append(row)
    return card
  }
  const paintThreads = () => {
    if (!changed("threads", model.threads)) return
    const held = threads.getRootNode().activeElement?.dataset?.thread
    const open = model.threads.filter((one) => !one.resolved_by).length
    const words = model.threads.length
      ? `${open} open, ${model.threads.length - open} resolved`
      : "No comments yet. Play, stop where you hear something, and write."
    threads.replaceChildren(made("small", words), ...model.threads.map(thread))
    if (held) [...threads.querySelectorAll("input")].find((field) => field.dataset.thread === held)?.focus()
    paintStrip()
  }

  const versionCard = () => {
    const card = made("div", "", "card"),
      row = made("div", "", "row"),
      list = made("ul", "", "decisions")
    const newest = model.versions[0]?.number
    const before = newest ? `Differs from version ${newest}` : "No version yet"
    const frozen = "A comment, a decision or a link makes the plan, as it is now, a version that does not change."
    card.append(
      made("h2", model.version ? `Version ${model.version}` : before),
      made("small", model.version ? `frozen ${model.frozen}` : frozen),
    )
    const mine = model.decisions.find((one) => one.reviewer === model.reviewer)?.decision
    const words = { approved: "Approve", "needs work": "Needs work" }
    for (const [word, label] of Object.entries(words)) {
      const decide = button(label, "", () => ask("decide", word))
      press(decide, mine === word)
      row.append(decide)
    }
    list.append(...decisionsOf(model))
    card.append(list, row)
    return [card]
  }
  const decisionsOf = ({ decisions }) =>
    decisions.map((one) => {
      const item = made("li")
      item.append(made("b", one.reviewer), `: ${one.decision} `, made("small", one.when))
      return item
    })
  const versionsCard = () => {
    if (!model.versions.length) return []
    const card = made("div", "", "card")
    card.append(made("h2", "Versions"), made("small", "Play one beside the plan: a and b switch at the same place."))
    for (const one of model.versions) {
      const row = made("div", "", "row"),
        list = made("ul", "", "decisions"),
        play = button("Play", `play version ${one.number}`, () => ask("play", one.id))
      press(play, one.id === model.older)
      row.append(play, made("b", `Version ${one.number}`), made("small", one.frozen))
      list.append(...decisionsOf(one))
      card.append(row, list)
    }
    return [card]
  }
  const days = made("select")
  days.setAttribute("aria-label", "how long the link is open")
  for (const open of [1, 7, 30]) {
    const option = made("option", open === 1 ? "1 day" : `${open} days`)
    option.value = open
    days.append(option)
  }
  days.value = "7"
  const answers = madeInput({ type: "checkbox" })
  const linkCard = () => {
    const card = made("div", "", "card"),
      row = made("div", "", "row"),
      tick = made("label")
    tick.append(answers, " may comment and decide, under a name")
    row.append(
      days,
      button("Make a link", "", () => ask("link", Number(days.value), answers.checked)),
    )
    card.append(
      made("h2", "Link to this version"),
      made("small", "Whoever has it can watch and listen, without an account, until it expires or is taken back."),
      tick,
      row,
      links,
    )
    return card
  }
  const openLink = (link) => {
    const line = made("div", "", "row"),
      field = madeInput({ readOnly: true, value: new URL(link.address, location.href).href, ariaLabel: "link" })
    field.addEventListener("focus", () => field.select())
    const copy = button("Copy", "copy the link", () => {
      if (copyText(field.value)) copy.textContent = "Copied"
    })
    line.append(
      field,
      copy,
      button("Take back", "", () => ask("take back", link.token)),
    )
    const answered = link.may_answer ? "can be answered" : "read only"
    return [made("small", `Version ${link.number}, ${answered}, open until ${link.until}`), line]
  }
  const openLinks = () => {
    const here = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)
    const local = "It opens on this machine. To open it on the network, start the dashboard with --host."
    return [...model.links.flatMap(openLink), ...(here && model.links.length ? [made("small", local)] : [])]
  }
  const faultLine = () => {
    if (!model.fault) return []
    const said = made("p", model.fault)
    said.setAttribute("role", "alert")
    return [said]
  }
  /** A part of the right side, drawn anew when one of these values changes. */
  const drawn = (names, draw) => {
    const part = made("div")
    const paint = () => {
      const values = names.map((name) => model[name])
      if (changed(part, values)) part.replaceChildren(...draw())
    }
    model.on(names, paint)
    paint()
    return part
  }
  const links = drawn(["links"], openLinks)
  right.append(
    drawn(["fault"], faultLine),
    drawn(["version", "frozen", "decisions", "versions", "reviewer"], versionCard),
    linkCard(),
    drawn(["versions", "older"], versionsCard),
  )

  model.on("sent", () => {
    text.value = ""
    about.value = "-1"
  })
  model.on("playing", () => {
    about.value = "-1" // its seams are others
  })
  model.on("answered", () => {
    const [id] = model.answered
    if (drafts.get(id) === sent.get(id)) drafts.delete(id) // else somebody has written on
    const field = [...threads.querySelectorAll("input")].find((one) => one.dataset.thread === id)
    if (field) field.value = drafts.get(id) ?? ""
  })
  model.on("time", paintAbout)
  model.on("threads", paintThreads)
  model.on(["seams", "duration"], () => {
    paintAbout()
    paintStrip()
  })
  paintAbout()
  paintThreads()
  return box
}
