import { refusal } from '#lib/errors/refusal.ts'
import type { Transaction } from '#storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { deleteAlertWords, findAlertWords, saveAlertWords } from './queries.ts'

export const tooManyAlertWords = refusal('BAD_REQUEST', 400, 'You can have at most {limit} alert words.', {
  field: 'alert_words',
})

/** The maximum number of alert words that a user can have. */
export const MAX_ALERT_WORDS = 500

/** Adds alert words for the actor, except empty ones. Returns all of the actor's alert words. */
export async function addAlertWords(tx: Transaction, actor: Actor, given: readonly string[]): Promise<string[]> {
  await saveAlertWords(tx, actor.id, trimmedWords(given))
  const words = await findAlertWords(tx.db, actor.id)
  if (words.length > MAX_ALERT_WORDS) throw tooManyAlertWords({ limit: MAX_ALERT_WORDS })
  return emitAlertWords(tx, actor, words)
}

/** Removes some of the actor's alert words. Returns the remaining ones. */
export async function removeAlertWords(tx: Transaction, actor: Actor, given: readonly string[]): Promise<string[]> {
  await deleteAlertWords(tx, actor.id, trimmedWords(given))
  return emitAlertWords(tx, actor, await findAlertWords(tx.db, actor.id))
}

function emitAlertWords(tx: Transaction, actor: Actor, words: string[]): string[] {
  tx.emit(actor.realmId, { type: 'alert_words', alert_words: words }, [actor.id])
  return words
}

function trimmedWords(words: readonly string[]): string[] {
  return words.map((word) => word.trim()).filter((word) => word !== '')
}
