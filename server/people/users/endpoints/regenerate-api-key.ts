import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { logActorEvent } from '../../../http/security-log.ts'
import { replaceApiKeys } from '../api-keys.ts'
import { tooManyPasswords } from '../passwords/passwords.ts'
import { currentPasswordNeeded, requireCurrentPassword, requireUnchangedPassword } from './current-password.ts'
import { wrongPassword } from './verify-password.ts'

export const regenerateApiKey = endpoint({
  route: 'POST /users/me/api_key/regenerate',
  summary: 'End all your API keys and get a new one',
  description:
    'Every client that signed in with one of them, this one included, is signed out. By session the password is needed, ' +
    'unless the session logged in within the last 10 minutes; by API key the key is enough.',
  who: 'human',
  params: { password: z.string().default('').describe('Your current password, for calls by session.') },
  returns: { api_key: z.string() },
  refuses: [wrongPassword, currentPasswordNeeded, tooManyPasswords],
  async handle(call, { password }) {
    const { transaction, actor, client, session } = call
    const proven =
      session === null ? { hash: null } : await requireCurrentPassword(call, { password, parameter: 'password' })
    const api_key = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, proven)
      return replaceApiKeys(tx, actor.id, client)
    })
    logActorEvent(call, 'api_keys_replaced')
    return { api_key }
  },
})
