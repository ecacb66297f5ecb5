import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import {
  addAlertWords,
  findAlertWords,
  MAX_ALERT_WORDS,
  removeAlertWords,
  tooManyAlertWords,
} from '#people/alert-words.ts'
import { limitedText } from '#realms/realm-settings.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'

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
