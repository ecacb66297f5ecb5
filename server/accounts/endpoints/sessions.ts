import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import {
  insufficientPermission,
  mustBeOwner,
  noSuchUser,
  requireMayManage,
  requireOwnerForOwner,
  requireUser,
} from '#people/access.ts'
import { deleteAllApiKeys } from '#people/api-keys.ts'
import { recordAudit } from '#people/audit.ts'
import { deleteSession, deleteSessionsOf, findSessionsOf } from '#people/sessions.ts'
import { isBot } from '#people/users.ts'
import {
  requirePasswordOfSession,
  requireUnchangedPassword,
  sessionPassword,
  sessionPasswordRefusals,
} from '../password-checks.ts'

const noSuchSession = refusal('BAD_REQUEST', 400, 'No such session')

const sessionJson = z.strictObject({
  id: z.int(),
  browser: z
    .string()
    .describe("The browser and operating system, such as 'Firefox, Linux'; empty if they are unknown."),
  opened_at: z.int(),
  expires_at: z.int().describe('Sessions of browsers that stay logged in are extended while they are used.'),
  is_current: z.boolean().describe('True for the session of this request.'),
})

const listSessions = endpoint({
  route: 'GET /users/me/sessions',
  summary: 'List your sessions',
  description: 'The browsers that are logged in to your account. The newest session is first.',
  who: 'human',
  returns: { sessions: z.array(sessionJson) },
  async handle({ db, actor, session, clock }) {
    const sessions = await findSessionsOf(db, actor.id, clock.now())
    return {
      sessions: sessions.map(({ id, browser, openedAt, expiresAt }) => ({
        id,
        browser,
        opened_at: Math.floor(openedAt),
        expires_at: Math.floor(expiresAt),
        is_current: id === session?.id,
      })),
    }
  },
})

const closeSession = endpoint({
  route: 'DELETE /users/me/sessions/{session_id}',
  summary: 'Close one of your sessions',
  description: 'The browser is logged out. API keys stay valid. The session of this request needs no password.',
  who: 'human',
  params: { password: sessionPassword },
  refuses: [noSuchSession, ...sessionPasswordRefusals],
  async handle(call, { session_id, password }) {
    const { transaction, actor, session } = call
    const verified = session_id === session?.id ? null : await requirePasswordOfSession(call, password)
    await transaction(async (tx) => {
      if (verified !== null) await requireUnchangedPassword(tx, actor.id, verified)
      const sessions = await findSessionsOf(tx.db, actor.id, tx.now)
      if (!sessions.some(({ id }) => id === session_id)) throw noSuchSession()
      await deleteSession(tx, session_id)
      await recordAudit(tx, actor.realmId, 'sessions_closed', { targetId: actor.id })
    })
    return {}
  },
})

const closeOtherSessions = endpoint({
  route: 'DELETE /users/me/sessions',
  summary: 'Close your other sessions',
  description: 'Logs out all browsers except the one that sends the request. API keys stay valid.',
  who: 'human',
  params: { password: sessionPassword },
  refuses: sessionPasswordRefusals,
  async handle(call, { password }) {
    const { transaction, actor, session } = call
    const verified = await requirePasswordOfSession(call, password)
    await transaction(async (tx) => {
      await requireUnchangedPassword(tx, actor.id, verified)
      await deleteSessionsOf(tx, actor.id, session)
      await recordAudit(tx, actor.realmId, 'sessions_closed', { targetId: actor.id })
    })
    return {}
  },
})

export const sessionEndpoints = [listSessions, closeSession, closeOtherSessions]

export const logOutUser = endpoint({
  route: 'DELETE /users/{user_id}/sessions',
  summary: 'Log a user out everywhere',
  description:
    'Logs out all browsers of the user, and deletes all API keys, which mobile apps have, too. The password and the keys of ' +
    'bots stay valid. Requires an administrator, or an owner to log an owner out.',
  who: 'human',
  refuses: [noSuchUser, insufficientPermission, mustBeOwner],
  async handle(call, { user_id }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      const user = await requireUser(tx.db, actor, user_id)
      await requireMayManage(tx.db, actor, user)
      if (isBot(user)) throw noSuchUser()
      requireOwnerForOwner(actor, user)
      await deleteSessionsOf(tx, user.id)
      await deleteAllApiKeys(tx, user.id)
      await recordAudit(tx, actor.realmId, 'logged_out_by_other', { targetId: user.id })
    })
    return {}
  },
})
