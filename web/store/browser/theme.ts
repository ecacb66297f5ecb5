/** Values of the personal setting `color_scheme` of the API. */
export const Theme = { system: 1, dark: 2, light: 3 } as const

/** Applies the theme to the page, and stores it for the pages that this browser shows after a logout. */
export function applyTheme(scheme: number): void {
  const name = scheme === Theme.dark ? 'dark' : scheme === Theme.light ? 'light' : null
  if (name === null) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = name
  keep(name)
}

export function applyContrast(isHigh: boolean): void {
  if (isHigh) document.documentElement.dataset['contrast'] = 'more'
  else delete document.documentElement.dataset['contrast']
}

/** The storage key of the theme. `server/http/pages/assets/theme.js` reads it. */
const KEY = 'parley.theme'

function keep(name: string | null): void {
  try {
    if (name === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, name)
  } catch {
    // Without storage, the pages after a logout use the theme of the system.
  }
}
