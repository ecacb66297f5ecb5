import { useEffect } from 'react'
import { onSent, textAfterSending } from '../../store/drafts/drafts.ts'

/** Removes sent text from a composer, also if another composer of the same conversation sent it. `change` must be stable. */
export function useSentElsewhere(conversation: string, change: (rest: (text: string) => string) => void): void {
  useEffect(
    () => onSent((sentAt, sent) => sentAt === conversation && change((text) => textAfterSending(text, sent))),
    [conversation, change],
  )
}
