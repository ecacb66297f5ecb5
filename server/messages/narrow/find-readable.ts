import { sql } from 'kysely'
import type { UserMessage } from '../message.ts'
import { findMessagesFor } from '../reading/fetch.ts'
import { findAccessScope, isInScope } from './access-scope.ts'
import type { NarrowContext } from './clause.ts'
import { selectIds } from './select-ids.ts'
import { parenthesized } from './sql.ts'

/** The message, if the reader may read it. */
export async function findReadableMessage({ db, actor, now }: NarrowContext, id: number): Promise<UserMessage | null> {
  const reach = await findAccessScope(db, actor, now)
  const only = sql<boolean>`"messages"."id" = ${id}`
  const filter = { reach, receivedOnly: false, aim: { id }, condition: isInScope(db, reach) }
  const stretch = { first: id, last: id, order: 'asc', limit: 1 } as const
  const [message] = await findMessagesFor(db, actor.id, parenthesized(selectIds(db, filter, { where: only }, stretch)))
  return message ?? null
}
