import { firstVisibleRow, idOfRow, rowsIn, shownTimeline } from '../../message-view/row-elements.ts'
import type { Message } from '../../messages/message.ts'
import { findMessage } from '../../messages/messages.ts'

/**
 * Moves the focus by `step` messages, or conversations of a list. If none has the focus, focuses the first visible
 * message, or the first conversation.
 */
export function moveToRow(step: number): void {
  const list = shownTimeline()
  if (list === null) return moveInList(step)
  const rows = rowsIn(list)
  const here = rows.findIndex((row) => row.contains(document.activeElement))
  const stop = list.querySelector<HTMLElement>('[data-message][tabindex="0"]')
  const row = here === -1 ? (step === 0 ? stop : firstVisibleRow(list)) : rows[here + step]
  row?.focus()
}

function moveInList(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main .conversation-row')]
  const here = rows.findIndex((row) => row.parentElement?.contains(document.activeElement))
  const row = here === -1 ? rows[0] : rows[here + step]
  row?.focus()
}

/** Returns the row of the focused message; null if none has the focus. */
export const focusedRow = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>('.timeline [data-message]') ?? null

/** Returns the focused message, or else the first visible one; undefined if there is none. */
export function focusedMessage(): Message | undefined {
  const list = shownTimeline()
  if (list === null) return undefined
  const row = focusedRow() ?? firstVisibleRow(list)
  return row === null ? undefined : findMessage(idOfRow(row))
}

/** Focuses the compose box. */
export function replyToSelected(): void {
  document.querySelector<HTMLElement>('.composer textarea')?.focus()
}

export function jumpToLatest(): void {
  const button = shownTimeline()?.querySelector<HTMLElement>('.end-button button') ?? null
  if (button !== null) button.click()
  const rows = shownTimeline()?.querySelectorAll<HTMLElement>('[data-message]')
  rows?.[rows.length - 1]?.focus({ preventScroll: true })
}

/** Scrolls to the first loaded message and focuses it. */
export function jumpToFirst(): void {
  const list = shownTimeline()
  if (list === null) return
  list.scrollTop = 0
  rowsIn(list)[0]?.focus({ preventScroll: true })
}

/** The share of the list's visible height that is scrolled at a time. The rest stays visible. */
const PAGE = 0.85

/** Scrolls down or up by nearly the visible height. If a message had the focus, focuses the first visible one. */
export function scrollByPage(direction: 1 | -1): void {
  const list = shownTimeline()
  if (list === null) return
  const row = focusedRow()
  list.scrollBy({ top: direction * list.clientHeight * PAGE })
  if (row !== null) firstVisibleRow(list)?.focus({ preventScroll: true })
}
