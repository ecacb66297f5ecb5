import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { deleteApiKeys, findApiKeys, MAX_API_KEYS } from '#people/users/api-keys.ts'
import { flushAndIssueApiKey } from '#people/users/key-uses.ts'
import { lockPassword } from '#people/users/passwords/password-queries.ts'
import { tooManyPasswords } from '#people/users/passwords/passwords.ts'
import { findVerifiedHash, wrongPassword } from './password-attempts.ts'

const noSuchApiKey = refusal('BAD_REQUEST', 400, 'No such API key')

const apiKeyJson = z.object({
  id: z.int(),
  client: z.string().describe('The client that requested the key, or the name that it was given.'),
  created_at: z.int(),
  last_used_at: z.int().nullable().describe('Null if it was never used. Updated with a short delay.'),
})

export const listApiKeys = endpoint({
  route: 'GET /users/me/api_keys',
  summary: 'List your API keys',
  description:
    'The keys themselves are not included, because each is returned only once. The most recently used is first.',
  who: 'human',
  returns: { api_keys: z.array(apiKeyJson) },
  async handle({ db, actor }) {
    const keys = await findApiKeys(db, actor.id)
    return {
      api_keys: keys.map(({ id, client, createdAt, lastUsedAt }) => ({
        id,
        client,
        created_at: Math.floor(createdAt),
        last_used_at: lastUsedAt === null ? null : Math.floor(lastUsedAt),
      })),
    }
  },
})

export const createApiKey = endpoint({
  route: 'POST /users/me/api_keys',
  summary: 'Create an API key',
  description: `Existing keys stay valid. Above ${MAX_API_KEYS} keys that were created on purpose, the least recently used one is deleted.`,
  who: 'human',
  params: {
    password: z.string(),
    name: z.string().trim().min(1).max(30).describe('A name by which you recognize the key.'),
  },
  returns: { api_key: z.string().describe('The key is returned only here.') },
  refuses: [wrongPassword, tooManyPasswords],
  async handle(call, { password, name }) {
    const { actor } = call
    const attempt = { user: actor, name: actor.deliveryEmail, realmId: actor.realmId, password, isLoggedIn: true }
    const hash = await findVerifiedHash(call, attempt)
    if (hash === null) throw wrongPassword({ parameter: 'password' })
    const key = await flushAndIssueApiKey(call, actor.id, name, {
      isFromLogin: false,
      async check(tx) {
        if (!(await lockPassword(tx, actor.id, hash))) throw wrongPassword({ parameter: 'password' })
      },
    })
    logActorEvent(call, 'api_key_created')
    return { api_key: key }
  },
})

export const deleteApiKey = endpoint({
  route: 'DELETE /users/me/api_keys/{key_id}',
  summary: 'Delete one of your API keys',
  description: 'Requests with the key are refused from then on.',
  who: 'human',
  refuses: [noSuchApiKey],
  async handle(call, { key_id }) {
    const { transaction, actor } = call
    await transaction(async (tx) => {
      const key = (await findApiKeys(tx.db, actor.id)).find(({ id }) => id === key_id)
      if (key === undefined) throw noSuchApiKey()
      await deleteApiKeys(tx, [key.id])
    })
    logActorEvent(call, 'api_key_deleted')
    return {}
  },
})
