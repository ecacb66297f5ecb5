import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { Filter, IndexHints, NarrowContext } from './clause.ts'
import { findInRange, NEWEST } from './find-page.ts'
import { unread } from './is-operators.ts'
import { inMutedTopic, muted } from './muting.ts'
import { all, type Condition, not } from './sql.ts'

/** Returns the id of the reader's first unread message in the narrow, or `NEWEST` if there is none. */
export async function findFirstUnread(db: Db, actor: Actor, filter: Filter, now: number): Promise<number> {
  const { hints, condition } = filter
  const unreadFilter = {
    ...filter,
    hints: { ...hints, isUnread: true as const },
    receivedOnly: true,
    condition: all([condition, unread, ...mutedConditions(hints, { db, actor, now }).map(not)]),
  }
  const range = { first: 1, last: NEWEST, order: 'asc', limit: 1 } as const
  const [first] = await findInRange(db, unreadFilter, range, (ids) =>
    db.selectFrom('messages').select('id').where('id', 'in', ids).execute(),
  )
  return first?.id ?? NEWEST
}

/** Unread messages in muted channels and topics count only if the narrow names that channel or topic. */
function mutedConditions({ channelId, topicKey }: IndexHints, context: NarrowContext): Condition[] {
  if (channelId === undefined) return [muted(context)]
  return topicKey === undefined ? [inMutedTopic(context)] : []
}
