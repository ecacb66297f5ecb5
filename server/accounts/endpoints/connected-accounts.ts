import { z } from 'zod'
import { type Call, endpoint } from '#http/endpoint.ts'
import { deleteConnection, findConnectionsOf } from '#identity/external-identities.ts'
import { findDirectoryLink, findSignInMethods, toConnections } from '#identity/providers.ts'
import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import { findPasskeys, lockSecondFactors } from '#people/second-factors.ts'
import type { Db } from '#storage/storage.ts'
import {
  hasUsablePassword,
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../password-checks.ts'

// The accounts of other services with which users sign in to their own account here. A user can disconnect each of them
// as long as there is another way to sign in.

const noSuchConnection = refusal('BAD_REQUEST', 400, 'No such connected account')
const onlyWayToSignIn = refusal(
  'BAD_REQUEST',
  400,
  'You sign in with this account alone. Add a passkey, or connect another account first.',
)

const listConnectedAccounts = endpoint({
  route: 'GET /users/me/connected_accounts',
  summary: 'List the accounts of other services with which you sign in',
  description:
    'The first one that was connected comes first. Directories are not listed, because their operators manage the accounts. Only this server has this endpoint.',
  who: 'human',
  returns: {
    connected_accounts: z.array(
      z.strictObject({
        id: z.int(),
        service: z.string().describe('The name of the service, such as `Google`.'),
        is_offered: z.boolean().describe('False if people cannot sign in with this service anymore.'),
        connected_at: z.int(),
        last_used_at: z.int(),
      }),
    ),
  },
  async handle({ db, actor }) {
    const connections = await findConnections(db, actor)
    return {
      connected_accounts: connections.map(({ id, service, isOffered, createdAt, lastUsedAt }) => ({
        id,
        service,
        is_offered: isOffered,
        connected_at: Math.floor(createdAt),
        last_used_at: Math.floor(lastUsedAt),
      })),
    }
  },
})

const disconnectAccount = endpoint({
  route: 'DELETE /users/me/connected_accounts/{account_id}',
  summary: 'Disconnect an account of another service',
  description:
    'The account at the other service no longer signs in to yours. Refused if you could not sign in afterwards. Only this server has this endpoint.',
  who: 'human',
  params: { password: sessionPassword },
  refuses: [noSuchConnection, onlyWayToSignIn, ...sessionPasswordRefusals],
  async handle(call, { account_id, password }) {
    const { transaction, actor } = call
    const verified = await requirePasswordOfSession(call, password)
    await transaction(async (tx) => {
      await lockSecondFactors(tx, actor.id)
      await requireUnchangedPassword(tx, actor.id, verified)
      const connections = await findConnections(tx.db, actor)
      const connection = connections.find(({ id }) => id === account_id)
      if (connection === undefined) throw noSuchConnection()
      await deleteConnection(tx, account_id)
      const hasOther =
        connections.some(({ id, isOffered }) => isOffered && id !== account_id) ||
        (await hasUsablePassword(tx.db, actor)) ||
        (await findPasskeys(tx.db, actor.id)).length > 0 ||
        (await findDirectoryLink(tx.db, await findSignInMethods(tx.db, actor.realm), actor.id)) !== null
      if (!hasOther) throw onlyWayToSignIn()
      await recordAudit(tx, actor.realmId, 'sign_in_disconnected', { targetId: actor.id, by: connection.service })
    })
    return {}
  },
})

const findConnections = async (db: Db, { id, realm }: Call['actor']) =>
  toConnections(await findSignInMethods(db, realm), await findConnectionsOf(db, id))

export const connectedAccountEndpoints = [listConnectedAccounts, disconnectAccount]
