import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { readNarrow } from '../narrow/filter.ts'
import { selectAmong } from '../narrow/select-ids.ts'
import type { Term } from '../narrow/term.ts'
import { type MatchJson, toMatchJson } from './match-json.ts'
import { findUserMessages } from './queries.ts'

/** Returns the matches in those of the messages that match the narrow and that the actor may read, by message id. */
export async function matchNarrow(
  db: Db,
  actor: Actor,
  { messageIds, terms }: { messageIds: readonly number[]; terms: readonly Term[] },
  now: number,
): Promise<Map<number, MatchJson>> {
  const filter = await readNarrow(db, actor, terms, now)
  const found = await findUserMessages(db, actor.id, selectAmong(db, filter, messageIds))
  return new Map(found.map((message) => [message.id, toMatchJson(message, filter.hints.phrases ?? [], false)]))
}
