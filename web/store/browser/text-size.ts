/** Font sizes in pixels, if the browser's own is `DEFAULT_TEXT_SIZE`; everything else scales with it. */
export const DEFAULT_TEXT_SIZE = 16
export const TEXT_SIZES = [14, 15, 16, 18, 20] as const

/** `web_line_height_percent` of the API; the default keeps the style sheet's line height. */
export const DEFAULT_LINE_HEIGHT = 140
export const LINE_HEIGHTS = [120, 140, 160, 180, 200] as const

/** Applies the user's font size to the page, and the line spacing to messages. */
export function applyTextSize(size: number, lines: number): void {
  const { style } = document.documentElement
  if (size === DEFAULT_TEXT_SIZE) style.removeProperty('font-size')
  // The size is relative to the browser's own setting.
  else style.setProperty('font-size', `${(size / DEFAULT_TEXT_SIZE) * 100}%`)
  if (lines === DEFAULT_LINE_HEIGHT) style.removeProperty('--message-lines')
  else style.setProperty('--message-lines', String(lines / 100))
}
