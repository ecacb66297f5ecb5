import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { extraEmojiType } from '#messages/endpoints/extra-emoji-type.ts'
import * as emoji from '#messages/reactions/emoji.ts'
import { findStatus } from '#people/statuses/queries.ts'
import { MAX_STATUS_LENGTH, statusJson, toStatusJson } from '#people/statuses/status.ts'
import { noSuchUser, requireUser, userDeactivated } from '#people/users/access.ts'
import { isVisible } from '#people/users/user.ts'
import { limitedText } from '#realms/settings.ts'
import { changeUserSettings } from '../change-settings.ts'
import { emojiNeedsName, endNotInFuture, setStatus } from '../set-status.ts'

const nothingNew = refusal('BAD_REQUEST', 400, 'Client did not pass any new values.')

/** Refuses text with a null byte. If it were replaced as usual, other users would see the replacement character. */
const withoutNull = z.string().check(({ value, issues }) => {
  if (!value.includes('\0')) return
  issues.push({ code: 'invalid_format', format: 'text', message: 'it contains a null byte', input: value })
})

const postStatus = endpoint({
  route: 'POST /users/me/status',
  summary: 'Set your status',
  description:
    'Omitted parts stay unchanged. An empty text or emoji name is removed. A new text or emoji without `scheduled_end_time` stays ' +
    'until it is changed.',
  who: 'human',
  params: {
    status_text: limitedText(MAX_STATUS_LENGTH, withoutNull.overwrite(trimWhitespace)).optional(),
    away: z.boolean().optional().describe('Deprecated. Sets `presence_enabled` to the opposite value.'),
    emoji_name: z.string().optional(),
    emoji_code: z
      .string()
      .optional()
      .describe('Distinguishes emoji of the same name. If omitted, the emoji is looked up by name.'),
    reaction_type: z.string().optional().describe('`unicode_emoji`, `realm_emoji` or `service_extra_emoji`.'),
    scheduled_end_time: z
      .int()
      .nullable()
      .optional()
      .describe('The UNIX time at which the server clears the status; null for none.'),
  },
  refuses: [
    nothingNew,
    emojiNeedsName,
    endNotInFuture,
    emoji.noSuchEmoji,
    emoji.invalidEmojiCode,
    emoji.invalidEmojiName,
    emoji.invalidEmojiType,
    emoji.invalidCustomEmoji,
    emoji.customEmojiDeactivated,
  ],
  async handle({ transaction, actor, presence }, { away, ...given }) {
    const { status_text, emoji_name, scheduled_end_time } = given
    const isStatusGiven = [status_text, emoji_name, scheduled_end_time].some((part) => part !== undefined)
    if (!isStatusGiven && away === undefined) throw nothingNew()
    const board = await presence.forRealm(actor.realmId)
    await transaction(async (tx) => {
      const account = { ...(await requireUser(tx.db, actor, actor.id)), realm: actor.realm }
      if (isStatusGiven)
        await setStatus(tx, account, {
          text: status_text,
          emojiName: emoji_name,
          emojiCode: given.emoji_code,
          reactionType: given.reaction_type,
          endsAt: scheduled_end_time,
        })
      if (away !== undefined) await changeUserSettings(tx, account, { presence_enabled: !away }, { presence, board })
    })
    return {}
  },
})

const getStatus = endpoint({
  route: 'GET /users/{user_id}/status',
  summary: "Get a user's status",
  who: 'user',
  returns: { status: statusJson },
  refuses: [noSuchUser, userDeactivated],
  async handle(call, { user_id }) {
    const { db, actor, clock } = call
    const user = await requireUser(db, actor, user_id)
    if (!isVisible(await viewerOf(db, actor, clock.now()).visibleIds(), user)) throw noSuchUser()
    if (user.deactivatedAt !== null) throw userDeactivated()
    return { status: toStatusJson(await findStatus(db, user.id), extraEmojiType(call)) }
  },
})

export const statusEndpoints = [postStatus, getStatus]
