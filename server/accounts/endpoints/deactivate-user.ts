import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { queueMail } from '#mail/outbox.ts'
import { insufficientPermission, mustBeOwner, noSuchUser, requireMayManage, requireUser } from '#people/users/access.ts'
import { DEACTIVATION_TEMPLATE } from '#people/users/email-templates.ts'
import { isBot } from '#people/users/user.ts'
import {
  deactivationRefusals,
  ownAccountIsLastOwner,
  requireMayDeactivate,
  requireMayDeactivateSelf,
} from '../access.ts'
import { reactivateBot, reactivatedNameTaken } from '../change-bot.ts'
import { deactivateUser, reactivateUser } from '../deactivate-user.ts'

export const deactivateUserEndpoint = endpoint({
  route: 'DELETE /users/{user_id}',
  summary: 'Deactivate a user',
  description:
    'Deactivates the account and its bots, and revokes its invitations. Messages are kept. ' +
    'Requires an administrator, or an owner to deactivate an owner.',
  who: 'human',
  params: {
    deactivation_notification_comment: z
      .string()
      .max(2000)
      .optional()
      .describe('If given, even if empty, the user gets an email with this comment.'),
  },
  refuses: [noSuchUser, insufficientPermission, ...deactivationRefusals],
  async handle(call, { user_id, deactivation_notification_comment: comment }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      const user = await requireUser(tx.db, actor, user_id)
      await requireMayManage(tx.db, actor, user)
      if (isBot(user)) throw noSuchUser()
      await requireMayDeactivate(tx, actor, user)
      await deactivateUser(tx, actor.realm, user)
      if (comment === undefined) return
      const data = { userId: user.id, comment: comment.trim() }
      await queueMail(tx, {
        realmId: actor.realmId,
        recipient: user.deliveryEmail,
        letter: DEACTIVATION_TEMPLATE,
        data,
      })
    })
    logActorEvent(call, 'account_deactivated', { targetId: user_id })
    return {}
  },
})

export const deactivateOwnUser = endpoint({
  route: 'DELETE /users/me',
  summary: 'Deactivate your own user',
  who: 'human',
  refuses: [ownAccountIsLastOwner],
  async handle(call) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      await requireMayDeactivateSelf(tx, actor)
      await deactivateUser(tx, actor.realm, actor)
    })
    logActorEvent(call, 'account_deactivated')
    return {}
  },
})

export const reactivateUserEndpoint = endpoint({
  route: 'POST /users/{user_id}/reactivate',
  summary: 'Reactivate a user',
  description:
    'Restores the name, role, subscriptions and API keys. A bot whose owner is deactivated becomes yours, and its keys stop working. Requires an ' +
    'administrator, or the owner of a bot. Bots of organization owners can only be reactivated by organization owners.',
  who: 'human',
  refuses: [noSuchUser, insufficientPermission, mustBeOwner, reactivatedNameTaken],
  async handle(call, { user_id }) {
    const { actor, transaction } = call
    await transaction(async (tx) => {
      const user = await requireUser(tx.db, actor, user_id)
      await requireMayManage(tx.db, actor, user)
      if (isBot(user)) await reactivateBot(tx, actor, user)
      else await reactivateUser(tx, actor.realm, user)
    })
    logActorEvent(call, 'account_reactivated', { targetId: user_id })
    return {}
  },
})
