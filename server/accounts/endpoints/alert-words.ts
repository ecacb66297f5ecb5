import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { deleteAlertWords, findAlertWords, saveAlertWords } from '#people/alert-words.ts'
import type { Actor } from '#people/users.ts'
import { limitedText } from '#realms/settings.ts'
import { MAX_LENGTH } from '#rules/limits.ts'
import type { Transaction } from '#storage/storage.ts'

const tooManyAlertWords = refusal('BAD_REQUEST', 400, 'You can have at most {limit} alert words.', {
  field: 'alert_words',
})

/** The maximum number of alert words that a user can have. */
const MAX_ALERT_WORDS = 500

/** Adds alert words for the actor, except empty ones. Returns all of the actor's alert words. */
async function addAlertWords(tx: Transaction, actor: Actor, given: readonly string[]): Promise<string[]> {
  await saveAlertWords(tx, actor.id, trimmedWords(given))
  const words = await findAlertWords(tx.db, actor.id)
  if (words.length > MAX_ALERT_WORDS) throw tooManyAlertWords({ limit: MAX_ALERT_WORDS })
  return emitAlertWords(tx, actor, words)
}

/** Removes some of the actor's alert words. Returns the remaining ones. */
async function removeAlertWords(tx: Transaction, actor: Actor, given: readonly string[]): Promise<string[]> {
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

const wordParams = { alert_words: z.array(limitedText(MAX_LENGTH.alertWord)).max(MAX_ALERT_WORDS) }
const allWords = { alert_words: z.array(z.string()).describe('All of your alert words.') }

const getAlertWords = endpoint({
  route: 'GET /users/me/alert_words',
  summary: 'List your alert words',
  who: 'user',
  returns: allWords,
  async handle({ db, actor }) {
    return { alert_words: await findAlertWords(db, actor.id) }
  },
})

const postAlertWords = endpoint({
  route: 'POST /users/me/alert_words',
  summary: 'Add alert words',
  description: 'Words that you already have are skipped, ignoring case.',
  who: 'user',
  params: wordParams,
  returns: allWords,
  refuses: [tooManyAlertWords],
  async handle({ transaction, actor }, { alert_words }) {
    return { alert_words: await transaction((tx) => addAlertWords(tx, actor, alert_words)) }
  },
})

const deleteAlertWordsEndpoint = endpoint({
  route: 'DELETE /users/me/alert_words',
  summary: 'Remove alert words',
  who: 'user',
  params: wordParams,
  returns: allWords,
  async handle({ transaction, actor }, { alert_words }) {
    return { alert_words: await transaction((tx) => removeAlertWords(tx, actor, alert_words)) }
  },
})

export const alertWordEndpoints = [getAlertWords, postAlertWords, deleteAlertWordsEndpoint]
