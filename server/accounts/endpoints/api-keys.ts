import { z } from 'zod'
import { type AnonymousCall, endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { findUserByApiEmail } from '#people/access.ts'
import { deleteApiKeys, findApiKeys, flushAndIssueApiKey, MAX_API_KEYS, replaceApiKeys } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { csrfCookie, csrfToken, openSession, sessionCookie } from '#people/sessions.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { Db } from '#storage/storage.ts'
import {
  requireCurrentPassword,
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../password-checks.ts'
import { noOrganizationAtAddress } from './get-server-settings.ts'

export const authenticationFailed = refusal('AUTHENTICATION_FAILED', 401, 'Your username or password is incorrect')
export const loginUserDeactivated = refusal('USER_DEACTIVATED', 401, 'Account is deactivated')
export const loginRealmDeactivated = refusal('REALM_DEACTIVATED', 401, 'This organization has been deactivated')

/** Returns the account with this address, which is either its real address or its API address. */
export async function findUserByEitherEmail(db: Db, realm: Realm, email: string): Promise<User | null> {
  return (await findUserByDeliveryEmail(db, realm.id, email)) ?? findUserByApiEmail(db, realm, email)
}

const notATestServer = refusal('BAD_REQUEST', 400, 'Endpoint not available in production.')

export const devFetchApiKey = endpoint({
  route: 'POST /dev_fetch_api_key',
  summary: 'Get an API key for an address on a test server',
  description:
    'Also logs in: the response sets a session cookie, and a cookie `csrftoken` with the value that requests below /json ' +
    'send as `X-CSRFToken`. Only available on servers that `npm run test-server` starts.',
  who: 'anyone',
  params: {
    username: z.string().describe('The email address of the account, either the real one or the API address.'),
  },
  returns: { api_key: z.string(), email: z.string().describe('The real address.'), user_id: z.int() },
  refuses: [notATestServer, noOrganizationAtAddress, authenticationFailed, loginRealmDeactivated, loginUserDeactivated],
  async handle(call, { username }) {
    const { db, realm, client, isDisposable } = call
    if (!isDisposable) throw notATestServer()
    if (realm === null) throw noOrganizationAtAddress()
    const user = await findUserByEitherEmail(db, realm, username.trim())
    if (user === null) throw authenticationFailed()
    if (realm.deactivatedAt !== null) throw loginRealmDeactivated()
    if (user.deactivatedAt !== null) throw loginUserDeactivated()
    const key = await flushAndIssueApiKey(call, user.id, client, { isFromLogin: true })
    call.responseHeaders['set-cookie'] = await signIn(call, user.id)
    return { api_key: key, email: user.deliveryEmail, user_id: user.id }
  },
})

/** Opens a session for the account and returns the cookies of the session. */
async function signIn({ transaction, settings, secret, userAgent }: AnonymousCall, userId: number): Promise<string[]> {
  const { session, token } = await transaction((tx) => openSession(tx, userId, { isKept: false, userAgent }))
  return [sessionCookie(settings, token, session), csrfCookie(settings, csrfToken(secret, session))]
}

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
  description:
    `Existing keys stay valid. Above ${MAX_API_KEYS} keys that were created on purpose, the least recently used one is ` +
    'deleted. A key gives access without further proof, so an API key alone creates none.',
  who: 'human',
  params: {
    password: z
      .string()
      .default('')
      .describe(
        'Your current password. Needed, unless you logged in or confirmed the session within the last 10 minutes.',
      ),
    name: z.string().trim().min(1).max(MAX_LENGTH.apiKeyName).describe('A name by which you recognize the key.'),
  },
  returns: { api_key: z.string().describe('The key is returned only here.') },
  refuses: sessionPasswordRefusals,
  async handle(call, { password, name }) {
    const { actor } = call
    const verified = await requireCurrentPassword(call, { password, parameter: 'password' })
    const key = await flushAndIssueApiKey(call, actor.id, name, {
      isFromLogin: false,
      async check(tx) {
        await requireUnchangedPassword(tx, actor.id, verified)
        await recordAudit(tx, actor.realmId, 'api_key_created', { targetId: actor.id })
      },
    })
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
      await recordAudit(tx, actor.realmId, 'api_key_deleted', { targetId: actor.id })
    })
    return {}
  },
})

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
      await recordAudit(tx, actor.realmId, 'api_keys_replaced', { targetId: actor.id })
      return replaceApiKeys(tx, actor.id, client)
    })
    return { api_key }
  },
})
