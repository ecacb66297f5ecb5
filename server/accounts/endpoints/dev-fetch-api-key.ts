import { z } from 'zod'
import { type AnonymousCall, endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { openSession } from '#people/sessions/open-session.ts'
import { csrfToken } from '#people/sessions/session.ts'
import { csrfCookie, sessionCookie } from '#people/sessions/session-cookie.ts'
import { flushAndIssueApiKey } from '#people/users/key-uses.ts'
import {
  authenticationFailed,
  findUserByEitherEmail,
  loginRealmDeactivated,
  loginUserDeactivated,
} from './fetch-api-key.ts'
import { noOrganizationAtAddress } from './get-server-settings.ts'

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
