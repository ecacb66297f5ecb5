import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { replaceApiKeys } from '#people/users/api-keys.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from './current-password.ts'

export const regenerateApiKey = endpoint({
  route: 'POST /users/me/api_key/regenerate',
  summary: 'Replace all your API keys',
  description: 'All clients that use one of the old keys, including this one, are logged out.',
  who: 'human',
  params: { password: sessionPassword },
  returns: { api_key: z.string() },
  refuses: sessionPasswordRefusals,
  async handle(call, { password }) {
    const { transaction, actor, client } = call
    const verified = await requirePasswordOfSession(call, password)
    const api_key = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      return replaceApiKeys(tx, actor.id, client)
    })
    logActorEvent(call, 'api_keys_replaced')
    return { api_key }
  },
})
