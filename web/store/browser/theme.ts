import { useOwnSettings } from '../own-settings.ts'

/** The personal setting `color_scheme` of the API. */
export const Theme = { system: 1, dark: 2, light: 3 } as const

/**
 * Shows the page in the theme, as the server sent it already where it is still the same, and keeps it for the pages that
 * this browser sees signed out.
 */
export function applyTheme(scheme: number): void {
  const name = scheme === Theme.dark ? 'dark' : scheme === Theme.light ? 'light' : null
  if (name === null) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = name
  keep(name)
}

/** `server/http/pages/assets/theme.js` reads it. */
const KEY = 'parley.theme'

function keep(name: string | null): void {
  try {
    if (name === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, name)
  } catch {
    // Without storage, those pages match the system.
  }
}

/** Returns the user's theme, and a function that sets it here at once and on all devices. */
export function useTheme(): [scheme: number, setScheme: (scheme: number) => void] {
  const [{ color_scheme }, change] = useOwnSettings()
  return [color_scheme, (scheme) => change({ color_scheme: scheme })]
}
