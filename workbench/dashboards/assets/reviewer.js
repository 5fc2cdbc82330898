// The name of whoever reviews: asked for once, kept by the browser, the same in every tab of the page.
const KEPT = "workbench-reviewer"

export function render({ model }) {
  const box = document.createElement("label")
  box.className = "reviewer"
  const field = document.createElement("input")
  Object.assign(field, { type: "text", maxLength: 80, placeholder: "your name", autocomplete: "name" })
  field.setAttribute("aria-label", "your name")
  const words = document.createElement("span")
  words.textContent = "Reviewer"
  box.append(words, field)
  const take = () => {
    model.reviewer = field.value.trim()
    try {
      localStorage.setItem(KEPT, model.reviewer)
    } catch {
      // a browser that keeps nothing asks again on the next visit
    }
  }
  field.addEventListener("change", take)
  model.on("reviewer", () => {
    field.value = model.reviewer
  })
  field.value = model.reviewer
  if (!model.reviewer) {
    try {
      field.value = localStorage.getItem(KEPT) ?? ""
      if (field.value) model.reviewer = field.value
    } catch {
      // the same
    }
  }
  return box
}
