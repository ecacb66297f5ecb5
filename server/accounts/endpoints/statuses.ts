import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { trimWhitespace } from '#lib/text.ts'
import { extraEmojiType } from '#messages/message.ts'
import * as emoji from '#messages/reactions.ts'
import { type Emoji, requireEmoji, requireEmojiNamed, requireReactionType } from '#messages/reactions.ts'
import { noSuchUser, requireUser, userDeactivated } from '#people/access.ts'
import {
  findStatus,
  isEmpty,
  type Status,
  saveStatus,
  statusChanged,
  statusJson,
  toStatusJson,
} from '#people/statuses.ts'
import { type Actor, isVisible } from '#people/users.ts'
import { limitedText } from '#realms/realm-settings.ts'
import { MAX_STATUS_LENGTH } from '#rules/shared-limits.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { changeUserSettings } from '../change-user-settings.ts'
import { accountIds, findUserAudience } from '../user-events.ts'

const emojiNeedsName = refusal(
  'BAD_REQUEST',
  400,
  'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
  { field: 'emoji_name' },
)

const endNotInFuture = refusal('BAD_REQUEST', 400, 'Invalid scheduled_end_time: the time is not in the future', {
  field: 'scheduled_end_time',
})

/** A requested change of a status. Undefined fields stay unchanged. An empty emoji name removes the emoji. */
type StatusRequest = {
  text: string | undefined
  emojiName: string | undefined
  emojiCode: string | undefined
  reactionType: string | undefined
  endsAt: number | null | undefined
}

/**
 * Changes the given parts of the actor's status, and emits them to all users who may see the actor. If a new text or
 * emoji has no end time, any previous end time is removed. Otherwise, a status set by clients that do not support end
 * times would disappear.
 */
async function setStatus(tx: Transaction, actor: Actor, request: StatusRequest): Promise<void> {
  const { text } = request
  const emoji = await requireStatusEmoji(tx.db, actor, request)
  const before = await findStatus(tx.db, actor.id)
  if (request.endsAt != null && request.endsAt <= tx.now) throw endNotInFuture()
  const parts = { text: text ?? before.text, emoji: emoji === undefined ? before.emoji : emoji }
  const isReplaced = text !== undefined || emoji !== undefined
  const requestedEnd = request.endsAt === undefined ? (isReplaced ? null : before.endsAt) : request.endsAt
  const endsAt = isEmpty(parts) ? null : requestedEnd
  await saveStatus(tx, actor.id, { ...parts, endsAt })
  await emitStatus(tx, actor, { text, emoji, endsAt: endsAt === before.endsAt ? undefined : endsAt })
}

/** Emits the removal of an expired status to all users who may see the user. */
export async function emitEndOfStatus(tx: Transaction, actor: Actor, before: Status): Promise<void> {
  await emitStatus(tx, actor, {
    text: before.text === '' ? undefined : '',
    emoji: before.emoji === null ? undefined : null,
    endsAt: null,
  })
}

async function emitStatus(tx: Transaction, actor: Actor, change: Parameters<typeof statusChanged>[1]): Promise<void> {
  const { viewers } = await findUserAudience(tx, actor.realm, actor)
  tx.emit(actor.realmId, statusChanged(actor.id, change), accountIds(viewers))
}

/** Returns the new emoji: null if it is removed, undefined if it stays unchanged. */
async function requireStatusEmoji(db: Db, actor: Actor, request: StatusRequest): Promise<Emoji | null | undefined> {
  const { emojiName, emojiCode, reactionType } = request
  if (emojiName === '') return null
  if (emojiName === undefined) {
    if (emojiCode || reactionType) throw emojiNeedsName()
    return undefined
  }
  const type = reactionType === undefined ? undefined : requireReactionType(reactionType)
  const emojiByName =
    emojiCode === undefined || type === undefined ? await requireEmojiNamed(db, actor.realmId, emojiName) : null
  const emoji: Emoji = {
    emojiName,
    emojiCode: emojiCode ?? emojiByName?.emojiCode ?? '',
    reactionType: type ?? emojiByName?.reactionType ?? 'unicode_emoji',
  }
  await requireEmoji(db, actor.realmId, emoji)
  return emoji
}

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
