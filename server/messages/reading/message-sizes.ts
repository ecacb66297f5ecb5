import { type Expression, sql } from 'kysely'
import type { Db } from '#storage/storage.ts'

/** The approximate size of a reaction in a response, in bytes. */
const REACTION_SIZE = 100

/** Returns the messages with these ids in ascending order, each with its stored size in bytes. */
export async function findMessageSizes(db: Db, ids: Expression<number>): Promise<{ id: number; size: number }[]> {
  return db
    .selectFrom('messages')
    .select((is) => [
      'messages.id',
      // Neither database reads the text itself for `octet_length`.
      sql<number>`octet_length("content") + octet_length("renderedContent") + coalesce(octet_length("editHistory"), 0)
        + coalesce(${is
          .selectFrom('submessages')
          .select(sql<number>`sum(octet_length("submessages"."content"))`.as('size'))
          .whereRef('submessages.messageId', '=', 'messages.id')}, 0)
        + ${sql.lit(REACTION_SIZE)} * ${is
          .selectFrom('reactions')
          .select((all) => all.fn.countAll<number>().as('count'))
          .whereRef('reactions.messageId', '=', 'messages.id')}`.as('size'),
    ])
    .where('messages.id', 'in', ids)
    .orderBy('messages.id')
    .execute()
}
