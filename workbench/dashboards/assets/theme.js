// Whether the page is dark: as the system is set, unless somebody has switched it to the other. Loaded as a file before
// anything is drawn. Cookies keep it, so that the server writes the next page in its colours from the beginning.
window.workbenchTheme = (() => {
  const system = matchMedia("(prefers-color-scheme: dark)")
  const write = (name, value) => {
    document.cookie = `${name}=${value}; path=/; SameSite=Strict; max-age=${value ? 31_536_000 : 0}`
  }
  const word = (dark) => (dark ? "dark" : "light")
  const isDark = () => {
    const chosen = /(?:^|; )workbench-theme=(dark|light)/.exec(document.cookie)?.[1]
    return chosen ? chosen === "dark" : system.matches
  }
  /** The page was switched: it is remembered where it is not what the system says. */
  const keep = (dark) => {
    write("workbench-theme", dark === system.matches ? "" : word(dark))
    document.documentElement.style.colorScheme = word(dark)
  }
  /** Call a function when the system is switched; returns one that ends that. */
  const follow = (act) => {
    const switched = () => {
      write("workbench-system", word(system.matches))
      act()
    }
    system.addEventListener("change", switched)
    return () => system.removeEventListener("change", switched)
  }
  write("workbench-system", word(system.matches))
  document.documentElement.style.colorScheme = word(isDark())
  return { isDark, keep, follow }
})()
