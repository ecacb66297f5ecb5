/** The sizes of text that are offered, in pixels where the browser's own is `USUAL_SIZE`; all else grows with it. */
export const DEFAULT_TEXT_SIZE = 16
export const TEXT_SIZES = [14, 15, 16, 18, 20] as const

/** `web_line_height_percent` of the API; the usual one leaves the page's own. */
export const DEFAULT_LINE_HEIGHT = 140
export const LINE_HEIGHTS = [120, 140, 160, 180, 200] as const

/** Sets the page in a size of text, and messages with a distance of their lines, as somebody has chosen. */
export function applyTextSize(size: number, lines: number): void {
  const { style } = document.documentElement
  if (size === DEFAULT_TEXT_SIZE) style.removeProperty('font-size')
  // Of what the browser is set to, so that this counts as well.
  else style.setProperty('font-size', `${(size / DEFAULT_TEXT_SIZE) * 100}%`)
  if (lines === DEFAULT_LINE_HEIGHT) style.removeProperty('--message-lines')
  else style.setProperty('--message-lines', String(lines / 100))
}
