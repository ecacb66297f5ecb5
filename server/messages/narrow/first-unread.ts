import type { Db } from '../../storage/storage.ts'
import type { Actor } from '../../users/user.ts'
import type { Filter } from './clause.ts'
import { findStretch, NEWEST } from './find-page.ts'
import { muted, unread } from './is-operators.ts'
import { all, not } from './sql.ts'

/** The first message of the narrow that the reader has not read, as an anchor: `NEWEST` when they have read all. */
export async function findFirstUnread(db: Db, actor: Actor, filter: Filter, now: number): Promise<number> {
  const { aim, condition } = filter
  // What is muted counts only for somebody who looks at it.
  const isHeeded = aim.channelId === undefined ? [not(muted({ db, actor, now }))] : []
  const wanted = {
    ...filter,
    aim: { ...aim, isUnread: true as const },
    receivedOnly: true,
    condition: all([condition, unread, ...isHeeded]),
  }
  const stretch = { first: 1, last: NEWEST, order: 'asc', limit: 1 } as const
  const [first] = await findStretch(db, wanted, stretch, (ids) =>
    db.selectFrom('messages').select('id').where('id', 'in', ids).execute(),
  )
  return first?.id ?? NEWEST
}
