// What a component asks of its server. Put in front of the scripts whose model has `asked` and `taken`.

/**
 * A function that asks for something: its arguments, numbered, join those that the server has not taken yet, because
 * what changes in quick succession arrives there as one change.
 */
const asker = (model) => {
  let waiting = [],
    count = model.taken
  return (...wish) => {
    count = Math.max(count, model.taken) + 1
    waiting = [...waiting.filter(([number]) => number > model.taken), [count, ...wish]]
    model.asked = waiting
  }
}
