import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logSecurityEvent } from '#http/security-log.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUserByApiEmail } from '#people/users/addresses/api-email-queries.ts'
import { MAX_API_KEYS } from '#people/users/api-keys.ts'
import { flushAndIssueApiKey } from '#people/users/key-uses.ts'
import { lockPassword } from '#people/users/passwords/password-queries.ts'
import { tooManyPasswords } from '#people/users/passwords/passwords.ts'
import { findUserByDeliveryEmail } from '#people/users/queries.ts'
import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { noOrganizationAtAddress } from './get-server-settings.ts'
import { findVerifiedHash } from './password-attempts.ts'

export const authenticationFailed = refusal('AUTHENTICATION_FAILED', 401, 'Your username or password is incorrect')
export const loginUserDeactivated = refusal('USER_DEACTIVATED', 401, 'Account is deactivated')
export const loginRealmDeactivated = refusal('REALM_DEACTIVATED', 401, 'This organization has been deactivated')

export const fetchApiKey = endpoint({
  route: 'POST /fetch_api_key',
  summary: 'Get an API key with an address and a password',
  description:
    `Creates a new key each time, named after the client. Of the ${MAX_API_KEYS} keys that an account can get in this way, the least ` +
    'recently used one of the same client is replaced; without one, the least recently used of all. Keys that were ' +
    'created with `POST /users/me/api_keys` are kept. After five wrong passwords for an account from one network, all ' +
    'attempts are refused for half an hour.',
  who: 'anyone',
  params: {
    username: z.string().describe('The email address of the account, either the real one or the API address.'),
    password: z.string(),
  },
  returns: { api_key: z.string(), email: z.string().describe('The real address.'), user_id: z.int() },
  refuses: [
    noOrganizationAtAddress,
    authenticationFailed,
    loginUserDeactivated,
    loginRealmDeactivated,
    tooManyPasswords,
  ],
  async handle(call, { username, password }) {
    const { db, realm, client } = call
    if (realm === null) throw noOrganizationAtAddress()
    const name = username.trim()
    const user = await findUserByEitherEmail(db, realm, name)
    const hash = await findVerifiedHash(call, { user, name, realmId: realm.id, password })
    if (hash === null || user === null) throw authenticationFailed()
    if (realm.deactivatedAt !== null) throw loginRealmDeactivated()
    if (user.deactivatedAt !== null) throw loginUserDeactivated()
    const key = await flushAndIssueApiKey(call, user.id, client, {
      isFromLogin: true,
      async check(tx) {
        if (!(await lockPassword(tx, user.id, hash))) throw authenticationFailed()
      },
    })
    const facts = { realmId: realm.id, actorId: user.id, targetId: user.id }
    logSecurityEvent(call, 'login', { ...facts, details: { by: 'fetch_api_key' } })
    return { api_key: key, email: user.deliveryEmail, user_id: user.id }
  },
})

/** Returns the account with this address, which is either its real address or its API address. */
export async function findUserByEitherEmail(db: Db, realm: Realm, email: string): Promise<User | null> {
  return (await findUserByDeliveryEmail(db, realm.id, email)) ?? findUserByApiEmail(db, realm, email)
}
