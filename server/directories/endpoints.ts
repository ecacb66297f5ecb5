import { z } from 'zod'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '#accounts/password-checks.ts'
import { endpoint } from '#http/endpoint.ts'
import { mustBeOwner, requireOwner } from '#people/access.ts'
import { deleteScimToken, findScimToken, saveScimToken } from '#people/scim-tokens.ts'

// The token with which the directory of an organization uses SCIM. Only owners see that there is one, make one and
// delete it, because it has their rights.

const showToken = endpoint({
  route: 'GET /realm/scim_token',
  summary: 'Get facts about the SCIM token',
  description: 'The token itself is returned only once, when it is made. Requires an owner.',
  who: 'human',
  returns: {
    scim_token: z
      .object({
        created_at: z.int(),
        creator_id: z.int().nullable().describe('Null if the operator of the server made it.'),
        last_used_at: z.int().nullable().describe('Null if it was never used. Exact to an hour.'),
      })
      .nullable()
      .describe('Null if there is none.'),
  },
  refuses: [mustBeOwner],
  async handle({ db, actor }) {
    requireOwner(actor)
    const token = await findScimToken(db, actor.realmId)
    if (token === null) return { scim_token: null }
    const { createdAt, creatorId, lastUsedAt } = token
    return {
      scim_token: {
        created_at: Math.floor(createdAt),
        creator_id: creatorId,
        last_used_at: lastUsedAt === null ? null : Math.floor(lastUsedAt),
      },
    }
  },
})

const createToken = endpoint({
  route: 'POST /realm/scim_token',
  summary: 'Make a SCIM token',
  description:
    'With it, the directory of the organization manages accounts and user groups at /scim/v2. The previous token stops ' +
    'working. Requires an owner.',
  who: 'human',
  params: { password: sessionPassword },
  holdsSecrets: true,
  returns: { token: z.string().describe('The token is returned only here.') },
  refuses: [mustBeOwner, ...sessionPasswordRefusals],
  async handle(call, { password }) {
    const { transaction, actor } = call
    requireOwner(actor)
    const verified = await requirePasswordOfSession(call, password)
    const token = await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      return saveScimToken(tx, actor.realmId, actor.id)
    })
    return { token }
  },
})

const deleteToken = endpoint({
  route: 'DELETE /realm/scim_token',
  summary: 'Delete the SCIM token',
  description: 'Requests of the directory are refused from then on. Accounts and groups stay. Requires an owner.',
  who: 'human',
  refuses: [mustBeOwner],
  async handle(call) {
    const { transaction, actor } = call
    requireOwner(actor)
    await transaction((tx) => deleteScimToken(tx, actor.realmId))
    return {}
  },
})

export const directoryEndpoints = [showToken, createToken, deleteToken]
