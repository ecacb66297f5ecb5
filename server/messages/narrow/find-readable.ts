import { sql } from 'kysely'
import type { FoundMessage } from '../message.ts'
import { findMessagesFor } from '../reading/fetch.ts'
import type { Narrower } from './clause.ts'
import { findReach, isWithin } from './reach.ts'
import { selectIds } from './select-ids.ts'
import { inBrackets } from './sql.ts'

/** The message, if the reader may read it. */
export async function findReadable({ db, actor, now }: Narrower, id: number): Promise<FoundMessage | null> {
  const reach = await findReach(db, actor, now)
  const only = sql<boolean>`"messages"."id" = ${id}`
  const filter = { reach, receivedOnly: false, aim: { id }, condition: isWithin(db, reach) }
  const stretch = { first: id, last: id, order: 'asc', limit: 1 } as const
  const [message] = await findMessagesFor(db, actor.id, inBrackets(selectIds(db, filter, { where: only }, stretch)))
  return message ?? null
}
