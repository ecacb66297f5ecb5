import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { markSenderRead } from '#messages/mark-read.ts'
import { noSuchUser } from '#people/access.ts'
import { isSystemBotAddress } from '#people/bots.ts'
import { alreadyMuted, cannotMuteSelf, muteUser, notMuted, unmuteUser } from '#people/mutes.ts'
import { findUser } from '#people/user-queries.ts'
import { isVisible, type User } from '#people/users.ts'

const postMutedUser = endpoint({
  route: 'POST /users/me/muted_users/{muted_user_id}',
  summary: 'Mute a user',
  description: 'Marks all messages from the user as read, including future ones. Other users cannot see who is muted.',
  who: 'user',
  refuses: [noSuchUser, cannotMuteSelf, alreadyMuted],
  async handle(call, { muted_user_id }) {
    const user = await requireKnownUser(call, muted_user_id)
    await call.transaction(async (tx) => {
      await muteUser(tx, call.actor, user)
      await markSenderRead(tx, call.actor, user.id)
    })
    return {}
  },
})

const deleteMutedUser = endpoint({
  route: 'DELETE /users/me/muted_users/{muted_user_id}',
  summary: 'Unmute a user',
  who: 'user',
  refuses: [noSuchUser, notMuted],
  async handle(call, { muted_user_id }) {
    const user = await requireKnownUser(call, muted_user_id)
    await call.transaction((tx) => unmuteUser(tx, call.actor, user))
    return {}
  },
})

/** Returns a user whom the caller may see. Deactivated accounts and the server's own bots are included. */
async function requireKnownUser({ db, actor, clock }: Call, id: number): Promise<User> {
  const user = await findUser(db, id)
  if (user === null) throw noSuchUser()
  if (user.realmId !== actor.realmId && !isSystemBotAddress(user.deliveryEmail)) throw noSuchUser()
  if (!isVisible(await viewerOf(db, actor, clock.now()).visibleIds(), user)) throw noSuchUser()
  return user
}

export const muteEndpoints = [postMutedUser, deleteMutedUser]
