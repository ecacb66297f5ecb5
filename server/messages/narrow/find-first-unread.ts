import type { Viewer } from '#groups/viewer.ts'
import type { Filter, IndexHints } from './clause.ts'
import { findInRange, NEWEST } from './find-page.ts'
import { unread } from './is-operators.ts'
import { inMutedTopic, muted } from './muting.ts'
import { all, type Condition, not } from './sql.ts'

/** Returns the id of the reader's first unread message in the narrow, or `NEWEST` if there is none. */
export async function findFirstUnread(viewer: Viewer, filter: Filter): Promise<number> {
  const { db } = viewer
  const { hints, condition } = filter
  const unreadFilter = {
    ...filter,
    hints: { ...hints, isUnread: true as const },
    receivedOnly: true,
    condition: all([condition, unread, ...mutedConditions(hints, viewer).map(not)]),
  }
  const range = { first: 1, last: NEWEST, order: 'asc', limit: 1 } as const
  const [first] = await findInRange(db, unreadFilter, range, (ids) =>
    db.selectFrom('messages').select('id').where('id', 'in', ids).execute(),
  )
  return first?.id ?? NEWEST
}

/**
 * Returns conditions that match muted messages, which are skipped. The mute of a channel or topic is ignored if the
 * narrow names that channel or topic.
 */
function mutedConditions({ channelId, topicKey }: IndexHints, viewer: Viewer): Condition[] {
  if (channelId === undefined) return [muted(viewer.actor)]
  return topicKey === undefined ? [inMutedTopic(viewer.actor)] : []
}
