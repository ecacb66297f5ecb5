import type { KeyboardEvent } from 'react'
import { type Edit, type Format, formatEdit, type Selection } from './formatting.ts'

export const selectionOf = ({
  value: text,
  selectionStart: start,
  selectionEnd: end,
}: HTMLTextAreaElement): Selection => ({
  text,
  start,
  end,
})

/** Applies an edit as if it were typed, so that the browser can undo it. */
export function applyEdit(area: HTMLTextAreaElement, { from, to, text, selected }: Edit): void {
  area.focus()
  area.setSelectionRange(from, to)
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
  area.setSelectionRange(...selected)
}

/** The keyboard shortcuts of formats, in the form that tooltips show. */
export const FORMAT_KEYS: Partial<Record<Format, string>> = {
  bold: 'Ctrl+B',
  italic: 'Ctrl+I',
  strike: 'Ctrl+Shift+X',
  link: 'Ctrl+Shift+L',
  numbers: 'Ctrl+Shift+7',
  list: 'Ctrl+Shift+8',
  quote: 'Ctrl+Shift+9',
  code: 'Ctrl+E',
}

/**
 * The formats by key: without Shift, with Shift and a digit key, and with Shift and a letter. Digit keys are identified
 * by their position, because Shift changes their characters.
 */
const PLAIN: Readonly<Record<string, Format>> = { KeyB: 'bold', KeyI: 'italic', KeyE: 'code' }
const SHIFTED: Readonly<Record<string, Format>> = { Digit7: 'numbers', Digit8: 'list', Digit9: 'quote' }
const LETTERS: Readonly<Record<string, Format>> = { x: 'strike', l: 'link', c: 'code' }

/** Formats the selection if the keys are the shortcut of a format. Returns true if they are. */
export function formatByKey(event: KeyboardEvent): boolean {
  const format = formatOfKeys(event)
  if (format === undefined || !(event.target instanceof HTMLTextAreaElement)) return false
  event.preventDefault()
  applyFormat(event.target, format)
  return true
}

function formatOfKeys({ key, code, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): Format | undefined {
  if (!(ctrlKey || metaKey) || altKey) return undefined
  const letter = key.toLowerCase()
  if (shiftKey) return SHIFTED[code] ?? LETTERS[letter]
  // Letters follow the layout of the keyboard.
  return PLAIN[`Key${letter.toUpperCase()}`]
}

/** Adds a format to the selection of a text area, or removes it. */
export const applyFormat = (area: HTMLTextAreaElement, format: Format): void =>
  applyEdit(area, formatEdit(format, selectionOf(area)))
