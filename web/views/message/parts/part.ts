import type { RefObject } from 'react'
import type { Message } from '../../../store/messages/message.ts'

/** What opens to do something with a message. */
export type Part = 'react' | 'source' | 'history' | 'reactions' | 'readers' | 'edit' | 'forward' | 'move' | 'delete'

export type PartProps = {
  message: Message
  /** What a part that lies beside something lies beside. */
  trigger: RefObject<HTMLElement | null>
  onClose: () => void
}
