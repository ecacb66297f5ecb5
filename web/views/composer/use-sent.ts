import { useEffect } from 'react'
import { hearSent } from './drafts.ts'
import { restOf } from './message-text.ts'

/**
 * Has what stands in a composer become what is left of it once something of its draft was sent, by this composer or by one
 * that stood at the same place before. `change` stays the same.
 */
export function useSent(place: string, change: (rest: (text: string) => string) => void): void {
  useEffect(() => hearSent((sentAt, sent) => sentAt === place && change((text) => restOf(text, sent))), [place, change])
}
