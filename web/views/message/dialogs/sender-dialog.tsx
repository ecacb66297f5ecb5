import type { ReactNode } from 'react'
import { PersonCard } from '../../people/cards/person-card.tsx'
import type { PartProps } from './part.ts'

/** The card of a message's sender. It opens beside the sender's picture if the row shows one. */
export function SenderDialog({ message, trigger, onClose }: PartProps): ReactNode {
  const row = trigger.current?.closest('[data-message]')
  const beside = row?.querySelector('.message-avatar') ?? trigger.current ?? document.body
  return <PersonCard userId={message.sender_id} trigger={beside} onClose={onClose} />
}
