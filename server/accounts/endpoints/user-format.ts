import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import type { Call } from '#http/endpoint.ts'
import { findProfiles } from '#people/profiles/value-queries.ts'
import { insufficientPermission } from '#people/users/access.ts'
import { isVisible, type User } from '#people/users/user.ts'
import { toUnknownUserJson, toUserJson, type UserJson } from '#people/users/user-json.ts'

/** The parameters that choose the format in which endpoints return accounts. */
export const userFormatParams = {
  client_gravatar: z
    .boolean()
    .default(true)
    .describe('Whether the client computes gravatars itself, so that their URLs can be left out.'),
  include_custom_profile_fields: z.boolean().default(false).describe('Whether users are returned with `profile_data`.'),
}

type UserFormat = { client_gravatar: boolean; include_custom_profile_fields: boolean }

/** Returns the accounts as the actor sees them. Accounts that the actor may not see have no name. */
export async function viewUsers(call: Call, users: readonly User[], format: UserFormat): Promise<UserJson[]> {
  const { actor, db, settings } = call
  const visible = await viewerOf(db, actor, call.clock.now()).visibleIds()
  const url = settings.EXTERNAL_URL
  const profiles = format.include_custom_profile_fields ? await findProfiles(db, actor.realmId) : undefined
  const options = { computesGravatar: format.client_gravatar, profiles }
  return users.map((user) =>
    isVisible(visible, user)
      ? toUserJson(actor, user, actor.realm, url, options)
      : toUnknownUserJson(user, actor.realm, url),
  )
}

/** Returns the account as the actor sees it. Refuses if the actor may not see it. */
export async function viewUser(call: Call, user: User, format: UserFormat): Promise<UserJson> {
  const { actor, db, settings } = call
  const visible = await viewerOf(db, actor, call.clock.now()).visibleIds()
  if (!isVisible(visible, user)) throw insufficientPermission()
  const profiles = format.include_custom_profile_fields ? await findProfiles(db, actor.realmId, user.id) : undefined
  return toUserJson(actor, user, actor.realm, settings.EXTERNAL_URL, {
    computesGravatar: format.client_gravatar,
    profiles,
  })
}
