import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { insufficientPermission, noSuchUser, requireUser, requireUserByEmail } from '#people/users/access.ts'
import { findRealmUsers } from '#people/users/queries.ts'
import { userJson } from '#people/users/user-json.ts'
import { userFormatParams, viewUser, viewUsers } from './user-format.ts'

export const getUsers = endpoint({
  route: 'GET /users',
  summary: 'List the users of the organization',
  description: 'Includes bots and deactivated users, ordered by id.',
  who: 'user',
  params: userFormatParams,
  returns: { members: z.array(userJson) },
  async handle(call, format) {
    return { members: await viewUsers(call, await findRealmUsers(call.db, call.actor.realmId), format) }
  },
})

export const getUser = endpoint({
  route: 'GET /users/{user_id}',
  summary: 'Get a user by id',
  who: 'user',
  params: userFormatParams,
  returns: { user: userJson },
  refuses: [noSuchUser, insufficientPermission],
  async handle(call, { user_id, ...format }) {
    return { user: await viewUser(call, await requireUser(call.db, call.actor, user_id), format) }
  },
})

export const getUserByEmail = endpoint({
  route: 'GET /users/{email}',
  summary: 'Get a user by email address',
  description:
    'Real addresses only match users whose address you may see. Placeholders such as `user17@…` match every user.',
  who: 'user',
  path: { email: z.string() },
  params: userFormatParams,
  returns: { user: userJson },
  refuses: [noSuchUser, insufficientPermission],
  async handle(call, { email, ...format }) {
    const { db, actor, clock } = call
    const visibleIds = await viewerOf(db, actor, clock.now()).visibleIds()
    return { user: await viewUser(call, await requireUserByEmail(db, actor, email, visibleIds), format) }
  },
})
