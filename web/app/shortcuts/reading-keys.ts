import type { Message } from '../../store/messages/message.ts'
import { findMessage } from '../../store/messages/messages.ts'
import { firstVisibleRow, idOfRow, rowsIn } from '../../views/chat/timeline/rows.ts'

const findList = () => document.querySelector<HTMLElement>('.timeline')

/** Moves the focus by `step` messages; focuses the first visible one if none has it. */
export function moveToRow(step: number): void {
  const list = findList()
  if (list === null) return
  const rows = rowsIn(list)
  const here = rows.findIndex((row) => row.contains(document.activeElement))
  const stop = list.querySelector<HTMLElement>('[data-message][tabindex="0"]')
  const row = here === -1 ? (step === 0 ? stop : firstVisibleRow(list)) : rows[here + step]
  row?.focus()
}

/** Returns the focused message, or else the first visible one; undefined if there is none. */
export function focusedMessage(): Message | undefined {
  const list = findList()
  if (list === null) return undefined
  const row = document.activeElement?.closest<HTMLElement>('.timeline [data-message]') ?? firstVisibleRow(list)
  return row === null ? undefined : findMessage(idOfRow(row))
}

/** Focuses the compose box. */
export function replyToSelected(): void {
  document.querySelector<HTMLElement>('.composer textarea')?.focus()
}

/** Scrolls to the latest message. */
export function jumpToLatest(): void {
  const button = document.querySelector<HTMLElement>('.end-button button')
  if (button !== null) button.click()
  const rows = findList()?.querySelectorAll<HTMLElement>('[data-message]')
  rows?.[rows.length - 1]?.focus({ preventScroll: true })
}
