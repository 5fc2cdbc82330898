// A new element, with its text and its class.
const made = (kind, text = "", name = "") => {
  const node = document.createElement(kind)
  if (text) node.textContent = text
  if (name) node.className = name
  return node
}
