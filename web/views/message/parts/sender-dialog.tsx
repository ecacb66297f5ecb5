import type { ReactNode } from 'react'
import { PersonDialog } from '../../people/person-dialog.tsx'
import type { PartProps } from './part.ts'

/** The profile of a message's sender. */
export const SenderDialog = ({ message, onClose }: PartProps): ReactNode => (
  <PersonDialog userId={message.sender_id} onClose={onClose} />
)
