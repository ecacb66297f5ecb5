import { useEffect } from 'react'
import { onSent, textAfterSending } from '../../store/drafts/drafts.ts'

/**
 * Has what stands in a composer become what is left of it once something of its draft was sent, by this composer or by one
 * that stood at the same place before. `change` stays the same.
 */
export function useSentElsewhere(conversation: string, change: (rest: (text: string) => string) => void): void {
  useEffect(
    () => onSent((sentAt, sent) => sentAt === conversation && change((text) => textAfterSending(text, sent))),
    [conversation, change],
  )
}
