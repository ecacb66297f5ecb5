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

/**
 * Font sizes in pixels, for browsers with a default font size of `DEFAULT_TEXT_SIZE`. In other browsers, they scale
 * with the default font size.
 */
export const DEFAULT_TEXT_SIZE = 16
export const TEXT_SIZES = [14, 15, 16, 18, 20] as const

/** Values of `web_line_height_percent` of the API. The default keeps the line height of the style sheet. */
export const DEFAULT_LINE_HEIGHT = 140
export const LINE_HEIGHTS = [120, 140, 160, 180, 200] as const

/** Applies the user's font size to the page, and the line spacing to messages. */
export function applyTextSize(size: number, lines: number): void {
  const { style } = document.documentElement
  if (size === DEFAULT_TEXT_SIZE) style.removeProperty('font-size')
  // The percentage is relative to the font size of the browser's settings.
  else style.setProperty('font-size', `${(size / DEFAULT_TEXT_SIZE) * 100}%`)
  if (lines === DEFAULT_LINE_HEIGHT) style.removeProperty('--message-lines')
  else style.setProperty('--message-lines', String(lines / 100))
}
