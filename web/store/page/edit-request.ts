import { useEffect, useRef } from 'react'

/** The beginning of the names under which unsaved edits are stored. */
export const EDIT_PREFIX = 'edit.'

/** Functions that open the edit form of a message on the page, by message id. */
const handlers = new Map<number, () => void>()

/** Opens the edit form of a message. Returns false if the message is not on the page. */
export function requestEdit(messageId: number): boolean {
  const open = handlers.get(messageId)
  open?.()
  return open !== undefined
}

type Selection = readonly [from: number, to: number]

/** The edit that continues on the next page. */
let waiting: { readonly messageId: number; readonly selection: Selection } | null = null

/** Opens the edit form of a message on the page that opens next, with the same selected text. */
export function continueEditOnNextPage(messageId: number, selection: Selection): void {
  waiting = { messageId, selection }
}

/** Returns the selection once if the edit of the message continues on this page. */
export function consumeEditSelection(messageId: number): Selection | null {
  if (waiting?.messageId !== messageId) return null
  const { selection } = waiting
  waiting = null
  return selection
}

/** Handles requests to edit the message. */
export function useEditRequest(messageId: number, open: () => void): void {
  const latest = useRef(open)
  useEffect(() => {
    latest.current = open
  })
  useEffect(() => {
    const handler = () => latest.current()
    handlers.set(messageId, handler)
    if (waiting?.messageId === messageId) handler()
    return () => {
      if (handlers.get(messageId) === handler) handlers.delete(messageId)
    }
  }, [messageId])
}
