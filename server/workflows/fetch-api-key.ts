import { z } from 'zod'
import {
  authenticationFailed,
  findUserByEitherEmail,
  loginRealmDeactivated,
  loginUserDeactivated,
  noOrganizationAtAddress,
} from '#accounts/endpoints.ts'
import { type AnonymousCall, endpoint } from '#http/endpoint.ts'
import { saveExternalIdentity } from '#identity/external-identities.ts'
import { findSignInMethods, takesPasswords } from '#identity/providers.ts'
import { refusal } from '#lib/errors.ts'
import { flushAndIssueApiKey, MAX_API_KEYS } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { lockPassword } from '#people/password-hashes.ts'
import { tooManyPasswords } from '#people/password-rules.ts'
import { hasSecondFactor, isSecondFactorDue } from '#people/second-factors.ts'
import { findUser, lockActiveUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { applyGroups, connectIdentity, createFromIdentity, findArrival } from './external-sign-in.ts'
import { joiningRefusals } from './external-sign-in-pages.ts'
import { checkPassword, type DirectoryProof } from './password-sign-in.ts'
import { completeFromEntry } from './sync-directory.ts'

const secondFactorNeeded = refusal(
  'SECOND_FACTOR_REQUIRED',
  403,
  'Your password alone gives no API key, because your account uses two-step login. Create a key in the browser, under Settings → API keys.',
)
const secondFactorMissing = refusal(
  'SECOND_FACTOR_MISSING',
  403,
  'Your organization requires two-step login. Log in with a browser to set it up, and then create a key under Settings → API keys.',
)
const passwordsTurnedOff = refusal(
  'PASSWORD_AUTH_DISABLED',
  401,
  'Password authentication is disabled in this organization',
)
const directoryUnreachable = refusal(
  'DIRECTORY_UNREACHABLE',
  503,
  "The directory can't be reached at the moment. Try again in a few minutes.",
)
const signInInBrowser = refusal(
  'SIGN_IN_IN_BROWSER',
  403,
  'Sign in once in a browser, to connect your account in the directory with this organization.',
)

export const fetchApiKey = endpoint({
  route: 'POST /fetch_api_key',
  summary: 'Get an API key with an address and a password',
  description:
    `Creates a new key each time, named after the client. Of the ${MAX_API_KEYS} keys that an account can get in this way, the least ` +
    'recently used one of the same client is replaced; without one, the least recently used of all. Keys that were ' +
    'created with `POST /users/me/api_keys` are kept. After five wrong passwords for an account from one network, all ' +
    'attempts are refused for half an hour. Refused for accounts with a second factor, and for those that lack one that they ' +
    'must have. With a directory (LDAP), its user names and passwords work, too, and people who may join get an account.',
  who: 'anyone',
  params: {
    username: z
      .string()
      .describe(
        'The email address of the account, either the real one or the API address; or a user name of a directory.',
      ),
    password: z.string(),
  },
  returns: { api_key: z.string(), email: z.string().describe('The real address.'), user_id: z.int() },
  refuses: [
    noOrganizationAtAddress,
    authenticationFailed,
    loginUserDeactivated,
    loginRealmDeactivated,
    secondFactorNeeded,
    secondFactorMissing,
    passwordsTurnedOff,
    tooManyPasswords,
    directoryUnreachable,
    signInInBrowser,
    ...joiningRefusals,
  ],
  async handle(call, { username, password }) {
    const { db, realm, client } = call
    if (realm === null) throw noOrganizationAtAddress()
    if (!takesPasswords(await findSignInMethods(db, realm))) throw passwordsTurnedOff()
    const name = username.trim()
    const known = await findUserByEitherEmail(db, realm, name)
    const proof = await checkPassword(call, realm, { user: known, name, password })
    if (proof === null) throw authenticationFailed()
    if (proof.by === null) throw directoryUnreachable()
    if (realm.deactivatedAt !== null) throw loginRealmDeactivated()
    if (proof.by === 'directory' && proof.entry.isDisabled) throw loginUserDeactivated()
    const user = proof.by === 'password' ? proof.user : await findOrCreate(call, realm, proof)
    if (user.deactivatedAt !== null) throw loginUserDeactivated()
    const key = await flushAndIssueApiKey(call, user.id, client, {
      isFromLogin: true,
      async check(tx) {
        if (proof.by === 'password' && !(await lockPassword(tx, user.id, proof.hash))) throw authenticationFailed()
        if (await hasSecondFactor(tx.db, user.id)) throw secondFactorNeeded()
        const now = proof.by === 'directory' ? await enter(tx, realm, user, proof) : user
        if (isSecondFactorDue(now, realm.settings, tx.now)) throw secondFactorMissing()
        await recordAudit(tx, realm.id, 'login', { actorId: user.id, targetId: user.id, by: 'fetch_api_key' })
      },
    })
    return { api_key: key, email: user.deliveryEmail, user_id: user.id }
  },
})

/** Returns the account of the person, who joins if they have none. Refuses if they have to confirm something first. */
async function findOrCreate(
  call: AnonymousCall,
  realm: Realm,
  { directory, entry, identity }: DirectoryProof,
): Promise<User> {
  const { db, transaction, clock } = call
  const arrival = await findArrival(db, realm, identity, null, clock.now())
  if (arrival.kind === 'known') return arrival.user
  if (arrival.kind === 'new') {
    const user = await transaction((tx) =>
      createFromIdentity(tx, realm, directory, identity, { ...arrival, picture: null }),
    )
    await completeFromEntry(call, realm, directory, entry, user)
    return user
  }
  if (arrival.kind !== 'same address' || !directory.link_by_address) throw signInInBrowser()
  const isConnected = await transaction((tx) => connectIdentity(tx, realm, directory, identity, arrival.user))
  if (!isConnected) throw signInInBrowser()
  return arrival.user
}

/** Records the use of the identity, and applies its groups. Returns the account with the role that they give. */
async function enter(
  tx: Transaction,
  realm: Realm,
  user: User,
  { directory, identity }: DirectoryProof,
): Promise<User> {
  if (!(await lockActiveUser(tx, user.id))) throw loginUserDeactivated()
  if (!(await saveExternalIdentity(tx, user, identity))) throw authenticationFailed()
  await applyGroups(tx, realm, directory, user, identity)
  return (await findUser(tx.db, user.id)) ?? user
}
