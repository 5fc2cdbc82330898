// What is being done, how far it is, and a button that gives it up; what went wrong last.
export function render({ model }) {
  const bar = document.createElement("div")
  bar.className = "status"
  bar.innerHTML = `<span class="subject"></span><span class="fault" role="alert"></span>
    <span class="work" role="status"><span class="stage"></span><progress max="1"></progress><button>Cancel</button></span>`
  const part = (name) => bar.querySelector("." + name)
  const paint = () => {
    part("subject").textContent = model.subject
    part("fault").textContent = model.message
    part("work").hidden = !model.stage
    part("stage").textContent = model.stage
    const progress = bar.querySelector("progress")
    if (model.done > 0) progress.value = model.done
    else progress.removeAttribute("value")
  }
  bar.querySelector("button").addEventListener("click", () => { model.cancelled = model.cancelled + 1 })
  for (const name of ["subject", "stage", "done", "message"]) model.on(name, paint)
  paint()
  return bar
}
