import type { RefObject } from 'react'
import type { Message } from '../../messages/message.ts'

/** A dialog or form of a message action. */
export type Part =
  | 'person'
  | 'react'
  | 'source'
  | 'history'
  | 'reactions'
  | 'readers'
  | 'edit'
  | 'forward'
  | 'move'
  | 'remind'
  | 'delete'

export type PartProps = {
  message: Message
  /** The element next to which a popover opens. */
  trigger: RefObject<HTMLElement | null>
  onClose: () => void
}
