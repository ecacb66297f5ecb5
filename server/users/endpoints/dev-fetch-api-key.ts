import { z } from 'zod'
import { refusal } from '../../base/refusal.ts'
import { endpoint } from '../../http/endpoint.ts'
import { issueKeyBesideOthers } from '../key-uses.ts'
import { authenticationFailed, findUserByEitherEmail, realmDeactivated, userDeactivated } from './fetch-api-key.ts'
import { noOrganizationHere } from './get-server-settings.ts'

const notDisposable = refusal('BAD_REQUEST', 400, 'Endpoint not available in production.')

export const devFetchApiKey = endpoint({
  route: 'POST /dev_fetch_api_key',
  summary: 'Get an API key for an address, on a test server',
  description: 'Refused by every server but those that `npm run test-server` starts.',
  who: 'anyone',
  params: { username: z.string().describe('The e-mail address of the account, the real one or that of the API.') },
  returns: { api_key: z.string(), email: z.string().describe('The real address.'), user_id: z.int() },
  refuses: [notDisposable, noOrganizationHere, authenticationFailed, realmDeactivated, userDeactivated],
  async handle(call, { username }) {
    const { db, realm, client, isDisposable } = call
    if (!isDisposable) throw notDisposable()
    if (realm === null) throw noOrganizationHere()
    const user = await findUserByEitherEmail(db, realm, username.trim())
    if (user === null) throw authenticationFailed()
    if (realm.deactivatedAt !== null) throw realmDeactivated()
    if (user.deactivatedAt !== null) throw userDeactivated()
    const key = await issueKeyBesideOthers(call, user.id, client)
    return { api_key: key, email: user.deliveryEmail, user_id: user.id }
  },
})
