import { useSyncExternalStore } from 'react'
import { t } from '../../text/t.ts'

/** How long what is new is gathered before it is announced, in milliseconds. */
const PAUSE = 5000

const arrived = new Map<string, number>()
const listeners = new Set<() => void>()
let text = ''
let timer: ReturnType<typeof setTimeout> | undefined

/** Has it announced, soon and together with others, that a message arrived there. */
export function announceMessage(conversation: string): void {
  arrived.set(conversation, (arrived.get(conversation) ?? 0) + 1)
  if (timer === undefined) timer = setTimeout(speak, PAUSE)
}

function speak(): void {
  const parts = [...arrived].map(([conversation, count]) =>
    t('{count, plural, one {# new message} other {# new messages}} in {conversation}', { count, conversation }),
  )
  text = parts.join(', ')
  arrived.clear()
  timer = undefined
  for (const listener of listeners) listener()
}

/** What there is to announce. */
export function useAnnouncement(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => text,
  )
}
