import type { ReactNode } from 'react'
import { PersonCard } from '../../people/cards/person-card.tsx'
import type { PartProps } from './part.ts'

/** The card of a message's sender. */
export const SenderDialog = ({ message, trigger, onClose }: PartProps): ReactNode => (
  <PersonCard userId={message.sender_id} trigger={trigger.current ?? document.body} onClose={onClose} />
)
