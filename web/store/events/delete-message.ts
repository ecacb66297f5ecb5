import { dropMessages } from '../messages.ts'
import type { ServerEvent } from './event.ts'

/** Messages are gone. */
export function takeDeletion(event: ServerEvent): void {
  const ids = new Set(event['message_ids'] as number[])
  dropMessages(({ id }) => ids.has(id))
}
