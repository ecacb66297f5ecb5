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

/** Edits as if it had been typed, so that it can be undone like that. */
export function applyEdit(area: HTMLTextAreaElement, { from, to, text, selected }: Edit): void {
  area.focus()
  area.setSelectionRange(from, to)
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
  area.setSelectionRange(...selected)
}
