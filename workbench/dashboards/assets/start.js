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
  const page = made("div", "", "start"),
    send = sender(model)
  const put = (node, parent) => {
    parent.append(node)
    return node
  }
  const make = (name, text, parent, className = "") => put(made(name, text, className), parent)
  const card = (project) => {
    const box = made("li")
    const link = make("a", "", box)
    link.href = `?project=${encodeURIComponent(project.id)}`
    const picture = make("span", project.still ? "" : "♪", link, "still")
    if (project.still) {
      picture.append(Object.assign(made("img"), { src: project.still, alt: "" }))
    }
    make("b", project.name, link)
    if (project.track) make("span", project.track, link, "of").title = `track: ${project.track}`
    if (project.video) make("span", project.video, link, "of").title = `video: ${project.video}`
    const foot = make("div", "", box, "foot row")
    const rest = () => {
      foot.replaceChildren()
      const when = make("time", age(project.changed), foot)
      when.dateTime = project.changed
      when.title = new Date(project.changed).toLocaleString()
      foot.append(
        button("Rename", `rename ${project.name}`, rename),
        button("Delete", `delete ${project.name}`, remove),
      )
    }
    const rename = () => {
      foot.replaceChildren()
      const form = make("form", "", foot, "row")
      const field = make("input", "", form)
      field.value = project.name
      field.ariaLabel = `new name of ${project.name}`
      field.maxLength = 200
      make("button", "Save", form)
      const keep = (event) => {
        event.preventDefault()
        rest()
      }
      put(button("Cancel", "keep the name", keep), form)
      form.addEventListener("submit", (event) => {
        event.preventDefault()
        send("renamed", project.id, field.value)
      })
      form.addEventListener("keydown", (event) => {
        if (event.key === "Escape") rest()
      })
      field.select()
    }
    const remove = () => {
      foot.replaceChildren()
      make("span", "Delete it, with its history?", foot)
      put(
        button("Delete", `really delete ${project.name}`, () => send("deleted", project.id)),
        foot,
      )
      put(button("Keep", `keep ${project.name}`, rest), foot).focus()
    }
    rest()
    return box
  }
  const paint = () => {
    page.replaceChildren()
    make("h1", "Projects", page)
    const begin = make("p", "", page)
    make("span", "Drop a video or a track anywhere on the page to begin a new one, or ", begin)
    const open = () => window.dispatchEvent(new CustomEvent("workbench-open"))
    put(button("Open", "open a file, a track of the catalog, or the demo", open, "begin"), begin)
    if (!model.projects.length) make("p", "There is no project yet.", page)
    const list = make("ul", "", page)
    list.append(...model.projects.map(card))
  }
  model.on("projects", paint)
  paint()
  return page
}
