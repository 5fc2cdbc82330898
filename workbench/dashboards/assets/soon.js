// Acting once for all that changes at once. Put in front of the scripts that need it.

/** A function that acts after the last change of a message, however many values of a component it changes. */
const soon = (act) => {
  let waits = false
  return () => {
    if (waits) return
    waits = true
    queueMicrotask(() => {
      waits = false
      act()
    })
  }
}
