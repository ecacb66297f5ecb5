import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { deleteSessionsOf } from '#people/sessions/queries.ts'
import {
  insufficientPermission,
  mustBeOwner,
  noSuchUser,
  requireMayManage,
  requireOwnerForOwner,
  requireUser,
} from '#people/users/access.ts'
import { deleteAllApiKeys } from '#people/users/api-keys.ts'
import { isBot } from '#people/users/user.ts'

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
    })
    logActorEvent(call, 'logged_out_by_other', { targetId: user_id })
    return {}
  },
})
