// The first page: a card for each project, the last one worked on first.
const AGES = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [7, "day"],
  [4.35, "week"],
  [12, "month"],
  [Infinity, "year"],
]
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
function age(at) {
  let count = (Date.parse(at) - Date.now()) / 1000
  for (const [many, unit] of AGES) {
    if (Math.abs(count) < many) return ago.format(Math.round(count), unit)
    count /= many
  }
}

export function render({ model }) {
  const page = document.createElement("div")
  page.className = "start"
  const make = (name, text, parent, className = "") => {
    const made = document.createElement(name)
    made.textContent = text
    if (className) made.className = className
    parent.append(made)
    return made
  }
  const button = (text, label, parent, act) => {
    const made = make("button", text, parent)
    made.ariaLabel = made.title = label
    made.addEventListener("click", act)
    return made
  }
  const card = (project) => {
    const box = document.createElement("li")
    const link = make("a", "", box)
    link.href = `?project=${encodeURIComponent(project.id)}`
    const picture = make("span", project.still ? "" : "♪", link, "still")
    if (project.still) {
      const still = document.createElement("img")
      still.src = project.still
      still.alt = ""
      picture.append(still)
    }
    make("b", project.name, link)
    if (project.track) make("span", project.track, link, "of").title = `track: ${project.track}`
    if (project.video) make("span", project.video, link, "of").title = `video: ${project.video}`
    const foot = make("div", "", box, "foot")
    const rest = () => {
      foot.replaceChildren()
      const when = make("time", age(project.changed), foot)
      when.dateTime = project.changed
      when.title = new Date(project.changed).toLocaleString()
      button("Rename", `rename ${project.name}`, foot, rename)
      button("Delete", `delete ${project.name}`, foot, remove)
    }
    const rename = () => {
      foot.replaceChildren()
      const form = make("form", "", foot)
      const field = make("input", "", form)
      field.value = project.name
      field.ariaLabel = `new name of ${project.name}`
      field.maxLength = 200
      make("button", "Save", form)
      button("Cancel", "keep the name", form, (event) => {
        event.preventDefault()
        rest()
      })
      form.addEventListener("submit", (event) => {
        event.preventDefault()
        model.renamed = [project.id, field.value, (model.renamed[2] ?? 0) + 1]
      })
      form.addEventListener("keydown", (event) => {
        if (event.key === "Escape") rest()
      })
      field.select()
    }
    const remove = () => {
      foot.replaceChildren()
      make("span", "Delete it, with its history?", foot)
      button("Delete", `really delete ${project.name}`, foot, () => {
        model.deleted = [project.id, (model.deleted[1] ?? 0) + 1]
      })
      button("Keep", `keep ${project.name}`, foot, rest).focus()
    }
    rest()
    return box
  }
  const paint = () => {
    page.replaceChildren()
    make("h1", "Projects", page)
    const begin = make("p", "", page)
    make("span", "Drop a video or a track anywhere on the page to begin a new one, or ", begin)
    button("Open", "open a file, a track of the catalog, or the demo", begin, () => {
      window.dispatchEvent(new CustomEvent("workbench-open"))
    }).className = "begin"
    if (!model.projects.length) make("p", "There is no project yet.", page)
    const list = make("ul", "", page)
    list.append(...model.projects.map(card))
  }
  model.on("projects", paint)
  paint()
  return page
}
