import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { replaceApiKeys } from '../api-keys.ts'

export const regenerateApiKey = endpoint({
  route: 'POST /users/me/api_key/regenerate',
  summary: 'End all your API keys and get a new one',
  description: 'Every client that signed in with one of them, this one included, is signed out.',
  who: 'human',
  returns: { api_key: z.string() },
  async handle({ transaction, actor, client }) {
    return { api_key: await transaction((tx) => replaceApiKeys(tx, actor.id, client)) }
  },
})
