import type { Edit, Selection } from './formatting.ts'

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
