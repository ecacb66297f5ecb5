import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { logActorEvent } from '../../../http/security-log.ts'
import { replaceApiKeys } from '../api-keys.ts'
import { tooManyPasswords } from '../passwords/passwords.ts'
import { currentPasswordNeeded, requireCurrentPassword, requireUnchangedPassword } from './current-password.ts'
import { wrongPassword } from './password-attempts.ts'

export const regenerateApiKey = endpoint({
  route: 'POST /users/me/api_key/regenerate',
  summary: 'Replace all your API keys',
  description:
    'All clients that use one of the old keys, including this one, are logged out. With a session, the password is needed ' +
    'unless you logged in within the last 10 minutes. With an API key, no password is needed.',
  who: 'human',
  params: { password: z.string().default('').describe('Your current password, for requests with a session.') },
  returns: { api_key: z.string() },
  refuses: [wrongPassword, currentPasswordNeeded, tooManyPasswords],
  async handle(call, { password }) {
    const { transaction, actor, client, session } = call
    const verified =
      session === null
        ? { hash: null, parameter: 'password' }
        : await requireCurrentPassword(call, { password, parameter: 'password' })
    const api_key = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      return replaceApiKeys(tx, actor.id, client)
    })
    logActorEvent(call, 'api_keys_replaced')
    return { api_key }
  },
})
