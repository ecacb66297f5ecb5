import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { badToken, tokenRefusals, useToken, verifyToken } from '#identity/jwt.ts'
import { flushAndIssueApiKey } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { toUserJson, userJson } from '#people/user-json.ts'
import { findUserByDeliveryEmail, lockActiveUser } from '#people/user-queries.ts'
import { isBot } from '#people/users.ts'
import { authenticationFailed, loginRealmDeactivated, loginUserDeactivated } from './api-keys.ts'
import { noOrganizationAtAddress } from './get-server-settings.ts'

export const jwtFetchApiKey = endpoint({
  route: 'POST /jwt/fetch_api_key',
  summary: 'Get an API key with a JSON Web Token',
  description:
    'For programs of the operator that know who a person is. The token has the claims `email` and `exp`, at most ten ' +
    'minutes from now, and a signature by a key that the operator has declared. It works once. Accounts with a second ' +
    'factor get a key as well: the operator vouches for the person.',
  who: 'anyone',
  holdsSecrets: true,
  params: {
    token: z.string().default(''),
    include_profile: z.boolean().default(false).describe('Whether `user` is returned.'),
  },
  returns: {
    api_key: z.string(),
    email: z.string().describe('The real address.'),
    user: userJson.optional(),
  },
  refuses: [
    noOrganizationAtAddress,
    ...tokenRefusals,
    authenticationFailed,
    loginRealmDeactivated,
    loginUserDeactivated,
  ],
  async handle(call, { token, include_profile }) {
    const { db, realm, client, settings } = call
    if (realm === null) throw noOrganizationAtAddress()
    const proof = await verifyToken(call, realm, token.trim())
    const user = await findUserByDeliveryEmail(db, realm.id, proof.email)
    if (user === null || isBot(user)) throw authenticationFailed()
    if (realm.deactivatedAt !== null) throw loginRealmDeactivated()
    if (user.deactivatedAt !== null) throw loginUserDeactivated()
    const key = await flushAndIssueApiKey(call, user.id, client, {
      isFromLogin: true,
      async check(tx) {
        if (!(await useToken(tx, realm, proof))) throw badToken()
        if (!(await lockActiveUser(tx, user.id))) throw loginUserDeactivated()
        await recordAudit(tx, realm.id, 'login', { actorId: user.id, targetId: user.id, by: 'jwt' })
      },
    })
    const profile = toUserJson(user, user, realm, settings.EXTERNAL_URL, { computesGravatar: false })
    return { api_key: key, email: user.deliveryEmail, ...(include_profile && { user: profile }) }
  },
})
