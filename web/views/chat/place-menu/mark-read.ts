import { toAppError } from '../../../store/app-error.ts'
import { markRead, markUnread } from '../../../store/messages/mark-read.ts'
import type { Spot } from '../../../store/messages/narrow.ts'
import type { Unread } from '../../../store/messages/unread.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import type { RowAct } from '../../../ui/table/row-menu.tsx'

/** Offers to mark as read what is not at the spots for which `isMeant` says so; nothing where all is read. */
export function markReadActs({ spots }: Unread, isMeant: (spot: Spot) => boolean): RowAct[] {
  const ids = [...spots.values()].filter(({ spot }) => isMeant(spot)).flatMap((one) => one.ids)
  return ids.length === 0 ? [] : [{ label: 'Mark all as read', act: () => void markAsRead(ids) }]
}

async function markAsRead(ids: readonly number[]): Promise<void> {
  try {
    await markRead(ids)
    toast(`${ids.length} ${ids.length === 1 ? 'message' : 'messages'} marked as read`, { undo: () => void undo(ids) })
  } catch (error) {
    toast(`Nothing was marked as read. ${toAppError(error).message}`, { kind: 'error' })
  }
}

async function undo(ids: readonly number[]): Promise<void> {
  try {
    await markUnread(ids)
  } catch (error) {
    toast(toAppError(error).message, { kind: 'error' })
  }
}
