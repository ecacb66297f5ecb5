import type { Viewer } from '#groups/viewer.ts'
import { readNarrow } from '../narrow/filter.ts'
import { selectAmong } from '../narrow/select-ids.ts'
import type { Term } from '../narrow/term.ts'
import { type MatchJson, toMatchJson } from './match-json.ts'
import { findUserMessages } from './queries.ts'

/**
 * Finds those of the given messages that match the narrow and that the actor may read. Returns their text, with search
 * matches highlighted, by message id.
 */
export async function matchNarrow(
  viewer: Viewer,
  { messageIds, terms }: { messageIds: readonly number[]; terms: readonly Term[] },
): Promise<Map<number, MatchJson>> {
  const { db, actor } = viewer
  const filter = await readNarrow(viewer, terms)
  const found = await findUserMessages(db, actor.id, selectAmong(db, filter, messageIds))
  return new Map(found.map((message) => [message.id, toMatchJson(message, filter.hints.phrases ?? [])]))
}
