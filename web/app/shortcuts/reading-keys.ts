import type { Message } from '../../store/messages/message.ts'
import { findMessage } from '../../store/messages/messages.ts'
import { firstVisibleRow, idOfRow, rowsIn } from '../../views/chat/timeline/rows.ts'

const findList = () => document.querySelector<HTMLElement>('.timeline')

/** Focuses the message so many further on than the one that has the focus; the first in sight where none has it. */
export function moveToRow(step: number): void {
  const list = findList()
  if (list === null) return
  const rows = rowsIn(list)
  const here = rows.findIndex((row) => row.contains(document.activeElement))
  const stop = list.querySelector<HTMLElement>('[data-message][tabindex="0"]')
  const row = here === -1 ? (step === 0 ? stop : firstVisibleRow(list)) : rows[here + step]
  row?.focus()
}

/** The message that has the focus, else the first in sight; undefined where none is. */
export function focusedMessage(): Message | undefined {
  const list = findList()
  if (list === null) return undefined
  const row = document.activeElement?.closest<HTMLElement>('.timeline [data-message]') ?? firstVisibleRow(list)
  return row === null ? undefined : findMessage(idOfRow(row))
}

/** Goes to where one writes. */
export function replyToSelected(): void {
  document.querySelector<HTMLElement>('.composer textarea')?.focus()
}

/** Goes to the newest message. */
export function jumpToLatest(): void {
  const button = document.querySelector<HTMLElement>('.end-button button')
  if (button !== null) button.click()
  const rows = findList()?.querySelectorAll<HTMLElement>('[data-message]')
  rows?.[rows.length - 1]?.focus({ preventScroll: true })
}
