import { isOwnNotice, type Message } from '../../../store/messages/message.ts'
import type { Opening } from '../../../store/messages/messages.ts'
import type { Timeline } from '../../../store/messages/timeline.ts'
import { currentOrganization } from '../../../store/organization.ts'
import { useVisitRef, type Visit } from './use-visit.ts'

/**
 * Returns the id of the first message that was unread when the timeline was opened. It stays the same while the user
 * reads. Returns null if there was none, or if the timeline opened at the newest message. Notices about what the user
 * did do not count.
 */
export function useFirstUnread(visit: Visit, timeline: Timeline | undefined, opening: Opening): number | null {
  const first = useVisitRef<number | null | undefined>(visit, undefined)
  if (first.current === undefined && timeline !== undefined) {
    const organization = currentOrganization()
    const isNews = (message: Message) =>
      !message.flags.includes('read') && !(organization !== undefined && isOwnNotice(message, organization))
    first.current = timeline.messages.find(isNews)?.id ?? null
  }
  return opening === 'newest' ? null : (first.current ?? null)
}
