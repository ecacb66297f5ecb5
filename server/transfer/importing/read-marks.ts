import { Flag } from '#messages/flags/flag.ts'
import type { MessageContainer } from '#messages/flags/read-marks.ts'

type Mark = MessageContainer & { userId: number; messageId: number }

/** Finds, for each user and conversation, the id below which all messages are read (docs/decisions/0007). */
export function openReadMarks() {
  const unread = new Map<string, Mark>()
  const read = new Map<string, Mark>()
  return {
    note(
      { userId, messageId, flags }: { userId: number; messageId: number; flags: number },
      spot: MessageContainer,
    ): void {
      const key = `${userId} ${spot.channelId} ${spot.conversationId}`
      const isRead = (flags & Flag.read) !== 0
      const mark = { ...spot, userId, messageId: isRead ? messageId + 1 : messageId }
      const [marks, isNearer] = isRead
        ? [read, (other: Mark) => mark.messageId > other.messageId]
        : [unread, (other: Mark) => mark.messageId < other.messageId]
      const other = marks.get(key)
      if (other === undefined || isNearer(other)) marks.set(key, mark)
    },
    rows(): Mark[] {
      return [...new Map([...read, ...unread]).values()]
    },
  }
}
