// The name of whoever reviews: asked for once, kept by the browser, the same in every tab of the page. A cookie keeps it, so
// that the server knows it before it draws the page: what a component says while it is drawn may come too early. It is
// sent also where a link in a mail leads to the page, which Strict ones are not.
const KEPT = "workbench-reviewer"
const YEAR_S = 31_536_000

export function render({ model }) {
  const box = made("label", "", "reviewer"),
    field = madeInput({ type: "text", maxLength: 80, placeholder: "your name", autocomplete: "name" })
  field.ariaLabel = "your name"
  box.append(made("span", "Reviewer"), field)
  const take = () => {
    model.reviewer = field.value.trim()
    const age = model.reviewer ? YEAR_S : 0
    document.cookie = `${KEPT}=${encodeURIComponent(model.reviewer)}; path=/; SameSite=Lax; max-age=${age}`
  }
  field.addEventListener("change", take)
  model.on("reviewer", () => {
    field.value = model.reviewer
  })
  model.on("missed", () => field.focus())
  field.value = model.reviewer
  return box
}
