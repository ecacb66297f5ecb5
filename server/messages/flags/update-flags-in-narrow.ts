import { viewerOf } from '#groups/viewer.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { readNarrow } from '../narrow/filter.ts'
import { findFirstUnread } from '../narrow/find-first-unread.ts'
import { findPage, type MatchedRows } from '../narrow/find-page.ts'
import type { Term } from '../narrow/term.ts'
import type { MessageRange } from '../reading/list-messages.ts'
import { type FlagsOutcome, type FlagsRequest, updateFlags } from './update-flags.ts'

type NarrowRequest = { terms: readonly Term[]; range: MessageRange; op: FlagsRequest['op']; flag: FlagsRequest['flag'] }

/** Applies `updateFlags` to the messages of a narrow around an anchor. */
export async function updateFlagsInNarrow(
  tx: Transaction,
  actor: Actor,
  { terms, range, op, flag }: NarrowRequest,
): Promise<{ page: MatchedRows<{ id: number }>; outcome: FlagsOutcome }> {
  const { db, now } = tx
  const viewer = viewerOf(db, actor, now)
  const filter = await readNarrow(viewer, terms)
  const anchor = range.anchor ?? (await findFirstUnread(viewer, filter))
  const page = await findPage(db, filter, { ...range, anchor }, (ids) =>
    db.selectFrom('messages').select('id').where('id', 'in', ids).execute(),
  )
  const messageIds = page.rows.map((row) => row.id)
  return { page, outcome: await updateFlags(tx, actor, { messageIds, op, flag }) }
}
