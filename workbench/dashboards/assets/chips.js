// The seams of a plan as a row of buttons: number and score, the worst marked.
export function render({ model }) {
  const row = document.createElement("div")
  row.className = "chips"
  row.setAttribute("role", "toolbar")
  row.setAttribute("aria-label", "seams")
  const paint = () => {
    row.replaceChildren(...model.scores.map((score, seam) => {
      const chip = document.createElement("button")
      const words = score === null ? "" : score.toFixed(2)
      chip.innerHTML = `<b>${seam + 1}</b> ${words}${seam === model.worst ? " <em>worst</em>" : ""}`
      chip.setAttribute("aria-label", `seam ${seam + 1}, score ${words || "unknown"}${seam === model.worst ? ", the worst" : ""}`)
      chip.setAttribute("aria-pressed", seam === model.seam ? "true" : "false")
      chip.addEventListener("click", () => { model.seam = seam; chip.blur() })
      return chip
    }))
    row.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }
  for (const name of ["scores", "worst", "seam"]) model.on(name, paint)
  paint()
  return row
}
