// Tracks that were matched to a video, one a row: facts, and a small picture of how the energy follows what moves.
// Where there is no room for a row in one line it is in two; the roles are said, since what is laid out otherwise than a
// table is no table to a screen reader. In the order of rank, those that do not meet the rules of a brief are under a
// heading. Rows are chosen by click or arrow keys; Enter, or a double click, opens a track under the video.
const WIDTH = 150,
  HEIGHT = 26

const COLUMNS = [
  ["#", "rank"],
  ["track", "title"],
  ["score", "score"],
  ["bpm", "bpm"],
  ["length", "seconds"],
  ["voice", "voice"],
  ["energy over the video", null],
  ["placement", "placement"],
]

function contour(video, music, dark) {
  const svg = shape("svg", { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" })
  svg.setAttribute("aria-label", "energy of the music over the motion of the video")
  const y = (v) => (HEIGHT - 1 - v * (HEIGHT - 3)).toFixed(1)
  if (video.length) {
    const points = video.map(([x, v]) => `${(x * WIDTH).toFixed(1)},${y(v)}`).join(" ")
    svg.append(
      shape("polygon", { points: `0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`, fill: "#7F7F7F", "fill-opacity": 0.4 }),
    )
  }
  if (music.length) {
    const points = music.map(([x, v]) => `${(x * WIDTH).toFixed(1)},${y(v)}`).join(" ")
    svg.append(shape("polyline", { points, fill: "none", stroke: dark ? "#56B4E9" : "#0072B2", "stroke-width": 1.6 }))
  }
  return svg
}

const clock = (s) => `${Math.floor(Math.round(s) / 60)}:${String(Math.round(s) % 60).padStart(2, "0")}`

export function render({ model }) {
  const box = made("div", "", "matches")
  let by = "rank",
    down = false

  const cell = (text, kind = "") => {
    const td = made("td", text, kind)
    td.setAttribute("role", "cell")
    return td
  }
  const sorted = () => {
    const rows = [...model.rows]
    rows.sort((a, b) => {
      const [x, y] = [a[by], b[by]]
      const order = x === y ? a.rank - b.rank : x === null ? 1 : y === null ? -1 : x < y ? -1 : 1
      return down && x !== y ? -order : order
    })
    return rows
  }
  const choose = (id, focus) => {
    model.chosen = id
    paint()
    if (focus) box.querySelector(`tr[aria-selected="true"]`)?.focus()
  }
  const open = (id) => sender(model)("opened", id)

  function header() {
    const row = made("tr")
    for (const [name, key] of COLUMNS) {
      const th = made("th")
      th.scope = "col"
      th.setAttribute("role", "columnheader")
      if (key) {
        const sort = button(name, "", () => {
          down = by === key ? !down : false
          by = key
          paint()
        })
        sort.title = `sort by ${key}`
        th.append(sort)
        if (by === key) th.setAttribute("aria-sort", down ? "descending" : "ascending")
      } else th.textContent = name
      row.append(th)
    }
    row.setAttribute("role", "row")
    const head = made("thead")
    head.setAttribute("role", "rowgroup")
    head.append(row)
    return head
  }
  function line(found) {
    const tr = made("tr")
    const chosen = found.id === model.chosen
    tr.setAttribute("role", "row")
    tr.setAttribute("aria-selected", chosen ? "true" : "false")
    tr.tabIndex = chosen ? 0 : -1
    tr.dataset.track = found.id
    const title = cell(found.title, "text")
    const artist = made("small", found.artist)
    if (found.artist) title.append(artist)
    if (found.unmet) title.append(made("small", found.unmet))
    const score = cell(found.score.toFixed(2), "number")
    const bar = made("span", "", "score")
    bar.style.width = `${Math.round(40 * found.score)}px`
    const room = made("span", "", "room")
    room.append(bar)
    score.append(room)
    const picture = cell("")
    picture.append(contour(model.video, found.contour, model.dark))
    tr.append(
      cell(found.rank, "number"),
      title,
      score,
      cell(found.tempo, "number"),
      cell(found.seconds === null ? "–" : clock(found.seconds), "number"),
      cell(found.voice),
      picture,
      cell(found.placement, "text"),
    )
    tr.addEventListener("click", () => choose(found.id, true))
    tr.addEventListener("dblclick", () => open(found.id))
    return tr
  }
  function heading(words) {
    const tr = made("tr"),
      th = made("th", words, "part")
    tr.setAttribute("role", "row")
    th.setAttribute("role", "rowheader")
    th.colSpan = COLUMNS.length
    tr.append(th)
    return tr
  }
  function paint() {
    const rows = sorted()
    if (!rows.length) {
      const empty = made("div", model.empty, "empty")
      box.replaceChildren(empty)
      return
    }
    const table = made("table"),
      body = made("tbody")
    table.setAttribute("role", "table")
    table.setAttribute("aria-label", "matches")
    body.setAttribute("role", "rowgroup")
    const top = box.scrollTop,
      held = box.getRootNode().activeElement?.dataset?.track
    const lines = rows.map(line)
    if (!rows.some((row) => row.id === model.chosen)) lines[0].tabIndex = 0
    rows.forEach((row, n) => {
      if (by === "rank" && !down && row.part && row.part !== rows[n - 1]?.part) body.append(heading(row.part))
      body.append(lines[n])
    })
    table.append(header(), body)
    box.replaceChildren(table)
    box.scrollTop = top
    if (held) body.querySelector(`tr[data-track="${CSS.escape(held)}"]`)?.focus({ preventScroll: true })
    box.style.setProperty("--table-head", model.dark ? "#121212" : "#ffffff")
  }
  box.addEventListener("keydown", (event) => {
    const rows = sorted(),
      at = rows.findIndex((row) => row.id === model.chosen)
    const to = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1) }[event.key]
    if (to !== undefined && rows.length) {
      event.preventDefault()
      choose(rows[Math.min(to, rows.length - 1)].id, true)
    } else if (event.key === "Enter" && event.composedPath()[0].dataset.track) {
      event.preventDefault()
      open(event.composedPath()[0].dataset.track)
    }
  })
  model.on(["rows", "video", "chosen", "dark", "empty"], paint)
  paint()
  return box
}
