import type { Actor } from '../../people/users/user.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { readNarrow } from '../narrow/filter.ts'
import { selectAmong } from '../narrow/select-ids.ts'
import type { Term } from '../narrow/term.ts'
import { findMessagesFor } from './fetch.ts'
import { type MatchJson, toMatchJson } from './match-json.ts'

/** What the narrow finds in those of the messages that match it and that the actor may read, by their ids. */
export async function matchNarrow(
  db: Db,
  actor: Actor,
  { messageIds, terms }: { messageIds: readonly number[]; terms: readonly Term[] },
  now: number,
): Promise<Map<number, MatchJson>> {
  const filter = await readNarrow(db, actor, terms, now)
  const found = await findMessagesFor(db, actor.id, selectAmong(db, filter, messageIds))
  return new Map(found.map((message) => [message.id, toMatchJson(message, filter.hints.phrases ?? [], false)]))
}
