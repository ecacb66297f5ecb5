import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { emitSent } from './drafts.ts'
import { textAfterSending } from './message-text.ts'

/** A message in the compose box; `dueAt` is in UNIX seconds, null for immediately. */
type Written = { text: string; dueAt: number | null }

/**
 * Sends the messages of a composer one after the other. What is submitted while one is being sent waits for it: of its text,
 * the part behind the message before is sent. When a message fails, those that wait stay in the composer as text.
 */
export function useSending<Message extends Written>(props: {
  /** The key of the draft. */
  place: string
  /** Returns the id of the new message; null if it is scheduled. */
  deliver: (message: Message) => Promise<number | null>
  onSent?: (message: Message, id: number | null) => void
}): { submit: (message: Message) => void; isPending: boolean; hasWaiting: boolean; error: unknown } {
  const { place: conversation, deliver, onSent } = props
  const isSending = useRef(false)
  const queue = useRef<readonly Message[]>([])
  const [hasWaiting, setHasWaiting] = useState(false)

  function setQueue(next: readonly Message[]) {
    queue.current = next
    setHasWaiting(next.length > 0)
  }

  const { mutate, isPending, error } = useMutation({
    mutationFn: deliver,
    onSuccess(id, sent) {
      emitSent(conversation, sent.text)
      onSent?.(sent, id)
      const [next, ...others] = queue.current
        .map((message) => ({ ...message, text: textAfterSending(message.text, sent.text) }))
        .filter(({ text }) => text.trim() !== '')
      setQueue(others)
      isSending.current = next !== undefined
      if (next !== undefined) mutate(next)
    },
    onError() {
      setQueue([])
      isSending.current = false
    },
  })

  function submit(message: Message) {
    if (isSending.current) return setQueue([...queue.current, message])
    isSending.current = true
    mutate(message)
  }

  return { submit, isPending, hasWaiting, error }
}
