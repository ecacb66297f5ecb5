import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { Filter, IndexHints, NarrowContext } from './clause.ts'
import { findInRange, NEWEST } from './find-page.ts'
import { unread } from './is-operators.ts'
import { inMutedTopic, muted } from './muting.ts'
import { all, type Condition, not } from './sql.ts'

/** The first message of the narrow that the reader has not read, as an anchor: `NEWEST` when they have read all. */
export async function findFirstUnread(db: Db, actor: Actor, filter: Filter, now: number): Promise<number> {
  const { aim, condition } = filter
  const wanted = {
    ...filter,
    aim: { ...aim, isUnread: true as const },
    receivedOnly: true,
    condition: all([condition, unread, ...mutedConditions(aim, { db, actor, now }).map(not)]),
  }
  const stretch = { first: 1, last: NEWEST, order: 'asc', limit: 1 } as const
  const [first] = await findInRange(db, wanted, stretch, (ids) =>
    db.selectFrom('messages').select('id').where('id', 'in', ids).execute(),
  )
  return first?.id ?? NEWEST
}

/** What is muted counts only for somebody who looks at it. */
function mutedConditions({ channelId, topicKey }: IndexHints, narrower: NarrowContext): Condition[] {
  if (channelId === undefined) return [muted(narrower)]
  return topicKey === undefined ? [inMutedTopic(narrower)] : []
}
