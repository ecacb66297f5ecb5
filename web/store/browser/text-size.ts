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
