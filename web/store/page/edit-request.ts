import { useEffect, useRef } from 'react'

/** Functions that open the edit form of a message on the page, by message id. */
const handlers = new Map<number, () => void>()

/** Opens the edit form of a message. Returns false if the message is not on the page. */
export function requestEdit(messageId: number): boolean {
  const open = handlers.get(messageId)
  open?.()
  return open !== undefined
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
    return () => {
      if (handlers.get(messageId) === handler) handlers.delete(messageId)
    }
  }, [messageId])
}
