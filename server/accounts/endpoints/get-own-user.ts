import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { findProfiles } from '#people/profiles/value-queries.ts'
import { findNewestMessageId } from '#people/users/newest-message.ts'
import { ownAvatarUrl } from '#people/users/user.ts'
import { toUserJson, userJson } from '#people/users/user-json.ts'

const { delivery_email: _, avatar_url: __, ...shared } = userJson.shape

export const getOwnUser = endpoint({
  route: 'GET /users/me',
  summary: 'Get your own user',
  who: 'user',
  returns: {
    ...shared,
    delivery_email: z.string(),
    avatar_url: z.string(),
    bot_type: shared.bot_type.unwrap().optional().describe('Only present for bots.'),
    bot_owner_id: shared.bot_owner_id.optional().describe('Only present for bots.'),
    max_message_id: z.int().describe('The id of the newest message that you received, or -1 if there is none.'),
  },
  async handle({ db, actor, settings }) {
    const format = { computesGravatar: false, profiles: await findProfiles(db, actor.realmId, actor.id) }
    const { bot_type, bot_owner_id, ...own } = toUserJson(actor, actor, actor.realm, settings.EXTERNAL_URL, format)
    return {
      ...own,
      ...(bot_type !== null && { bot_type, bot_owner_id }),
      delivery_email: actor.deliveryEmail,
      avatar_url: ownAvatarUrl(actor),
      max_message_id: (await findNewestMessageId(db, actor.id, { withArchived: true })) ?? -1,
    }
  },
})
