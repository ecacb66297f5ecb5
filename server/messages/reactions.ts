import { z } from 'zod'
import { findActiveUsers } from '#channels/audience.ts'
import { findNonViewerIds, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { findUnicodeEmoji, unicodeEmojiNames } from '#markdown/emoji.ts'
import { type Actor, apiEmail, placeholderEmail, UNKNOWN_USER_NAME } from '#people/users.ts'
import { findRealmEmoji, isExtraEmoji } from '#realms/emoji.ts'
import { defineQuery } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { invalidMessage, requireChangeableMessage } from './access.ts'
import { lockAgainstDeletion } from './editing/edit-rows.ts'
import { findMessageAudienceIds, reactionEvent } from './events.ts'
import { saveHistoricalRecords } from './flags.ts'
import { type ConversationRef, type Reaction, type ReactionType, reactionTypes } from './message.ts'
import { findReactions } from './queries.ts'
import { followOnParticipation } from './sending/follow-topics.ts'

// Reactions: the emoji that they may have, adding and removing them, and their endpoints. The number of reactions to
// a message is limited.

export const noSuchEmoji = refusal('BAD_REQUEST', 400, "Emoji '{name}' does not exist", { field: 'emoji_name' })
export const invalidEmojiCode = refusal('BAD_REQUEST', 400, 'Invalid emoji code.', { field: 'emoji_code' })
export const invalidEmojiName = refusal('BAD_REQUEST', 400, 'Invalid emoji name.', { field: 'emoji_name' })
export const invalidEmojiType = refusal('BAD_REQUEST', 400, 'Invalid emoji type.', { field: 'reaction_type' })
export const invalidCustomEmoji = refusal('BAD_REQUEST', 400, 'Invalid custom emoji', { field: 'emoji_code' })
export const customEmojiDeactivated = refusal('BAD_REQUEST', 400, 'This custom emoji has been deactivated', {
  field: 'emoji_code',
})

/** A Unicode emoji, a custom emoji or the extra emoji. */
export type Emoji = { emojiName: string; emojiCode: string; reactionType: ReactionType }

/** Returns the reaction type. `zulip_extra_emoji` is an old name of `service_extra_emoji`. */
export function requireReactionType(given: string): ReactionType {
  const name = given === 'zulip_extra_emoji' ? 'service_extra_emoji' : given
  const type = reactionTypes.find((each) => each === name)
  if (type === undefined) throw invalidEmojiType()
  return type
}

/** Returns the emoji with this name. Custom emoji override extra emoji, which override Unicode emoji. */
export async function requireEmojiNamed(db: Db, realmId: number, emojiName: string): Promise<Emoji> {
  const emoji = await findRealmEmoji(db, realmId)
  const custom = emoji.find((each) => each.name === emojiName && each.deactivatedAt === null)
  if (custom !== undefined) return { emojiName, emojiCode: String(custom.id), reactionType: 'realm_emoji' }
  if (isExtraEmoji(emojiName)) return { emojiName, emojiCode: emojiName, reactionType: 'service_extra_emoji' }
  const unicode = findUnicodeEmoji(emojiName)
  if (unicode === null) throw noSuchEmoji({ name: emojiName })
  return { emojiName, emojiCode: unicode.code, reactionType: 'unicode_emoji' }
}

/** Refuses an emoji that does not exist, is deactivated, or has another name. */
export async function requireEmoji(db: Db, realmId: number, emoji: Emoji): Promise<void> {
  const { emojiName, emojiCode, reactionType } = emoji
  if (reactionType === 'realm_emoji') return requireCustomEmoji(db, realmId, emoji)
  if (reactionType === 'service_extra_emoji') {
    if (!isExtraEmoji(emojiCode)) throw invalidEmojiCode()
    if (emojiName !== emojiCode) throw invalidEmojiName()
    return
  }
  const names = unicodeEmojiNames(emojiCode)
  if (names.length === 0) throw invalidEmojiCode()
  if (!names.includes(emojiName)) throw invalidEmojiName()
}

async function requireCustomEmoji(db: Db, realmId: number, { emojiName, emojiCode }: Emoji): Promise<void> {
  const custom = (await findRealmEmoji(db, realmId)).find((each) => String(each.id) === emojiCode)
  if (custom === undefined) throw invalidCustomEmoji()
  if (custom.name !== emojiName) throw invalidEmojiName()
  if (custom.deactivatedAt !== null) throw customEmojiDeactivated()
}

const reactionExists = refusal('REACTION_ALREADY_EXISTS', 400, 'Reaction already exists.')
const noSuchReaction = refusal('REACTION_DOES_NOT_EXIST', 400, "Reaction doesn't exist.")
const noEmojiNamed = refusal(
  'BAD_REQUEST',
  400,
  'At least one of the following arguments must be present: emoji_name, emoji_code',
  { field: 'emoji_name' },
)

const tooManyReactions = refusal(
  'BAD_REQUEST',
  400,
  'This message cannot have more reactions. The limit is {limit} reactions per message, and {ownLimit} per person.',
)

/** The maximum number of all reactions to a message, and of reactions from one user. */
const MAX_REACTIONS = 5000
const MAX_OWN_REACTIONS = 100

/** An emoji in a request, given by its name, its code or both. */
type EmojiRequest = { name?: string | undefined; code?: string | undefined; type?: string | undefined }

/**
 * Adds the actor's reaction. If the message already has reactions with the same code, the new reaction gets their emoji
 * name.
 */
export async function addReaction(
  tx: Transaction,
  actor: Actor,
  messageId: number,
  request: EmojiRequest & { name: string },
): Promise<void> {
  await lockAgainstDeletion(tx, [messageId])
  const { flags, conversation } = await requireChangeableMessage(viewerOf(tx.db, actor, tx.now), messageId)
  const named = await readEmoji(tx.db, actor.realmId, request)
  const earlier = await findEarlierReactions(tx.db, messageId, actor.id, named)
  const emoji = await requireReactable(tx.db, actor, named, earlier)
  if (earlier.count >= MAX_REACTIONS || earlier.ownCount >= MAX_OWN_REACTIONS)
    throw tooManyReactions({ limit: MAX_REACTIONS, ownLimit: MAX_OWN_REACTIONS })
  const row = await tx
    .insertInto('reactions')
    .values({ messageId, userId: actor.id, ...emoji })
    .onConflict((on) => on.columns(['messageId', 'userId', 'reactionType', 'emojiCode']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw reactionExists()
  if (flags === null) await saveHistoricalRecords(tx, actor.id, [messageId])

  await followOnParticipation(tx, actor, conversation)
  await emitReaction(tx, actor, 'add', messageId, { ...emoji, userId: actor.id }, conversation)
}

const earlierReactions = defineQuery((db, messageId: number, userId: number, reactionType: string, emojiCode: string) =>
  db
    .selectFrom(
      db
        .selectFrom('reactions')
        .select((is) => {
          const isOwn = is('userId', '=', userId)
          const isSame = is.and([is('reactionType', '=', reactionType), is('emojiCode', '=', emojiCode)])
          return [
            is.fn.countAll<number | string>().as('count'),
            is.fn.sum<number | string | null>(is.case().when(isOwn).then(1).else(0).end()).as('ownCount'),
            is.fn
              .max<number | null>(
                is
                  .case()
                  .when(is.and([isOwn, isSame]))
                  .then(1)
                  .end(),
              )
              .as('hasOwn'),
            is.fn.min<number | null>(is.case().when(isSame).then(is.ref('id')).end()).as('firstId'),
          ]
        })
        .where('messageId', '=', messageId)
        .as('earlier'),
    )
    .select(['count', 'ownCount', 'hasOwn'])
    .select((is) =>
      is.selectFrom('reactions').select('emojiName').whereRef('reactions.id', '=', 'earlier.firstId').as('firstName'),
    ),
)

/** The facts about the earlier reactions to a message that the rules about a new one need. */
type EarlierReactions = {
  readonly count: number
  readonly ownCount: number
  /** True if the user has reacted with this emoji. */
  readonly hasOwn: boolean
  /** The name in the first reaction with this emoji; null without one. */
  readonly firstName: string | null
}

async function findEarlierReactions(
  db: Db,
  messageId: number,
  userId: number,
  { reactionType, emojiCode }: Emoji,
): Promise<EarlierReactions> {
  const [row] = await earlierReactions(db, messageId, userId, reactionType, emojiCode)
  return {
    count: Number(row?.count ?? 0),
    ownCount: Number(row?.ownCount ?? 0),
    hasOwn: row?.hasOwn === 1,
    firstName: row?.firstName ?? null,
  }
}

async function removeReaction(tx: Transaction, actor: Actor, messageId: number, request: EmojiRequest): Promise<void> {
  const { conversation } = await requireChangeableMessage(viewerOf(tx.db, actor, tx.now), messageId)
  const own = (await findReactions(tx.db, messageId)).filter((reaction) => reaction.userId === actor.id)
  const reaction = await requireOwnReaction(tx.db, actor, own, request)
  const { numDeletedRows } = await tx
    .deleteFrom('reactions')
    .where('messageId', '=', messageId)
    .where('userId', '=', actor.id)
    .where('reactionType', '=', reaction.reactionType)
    .where('emojiCode', '=', reaction.emojiCode)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw noSuchReaction()

  await emitReaction(tx, actor, 'remove', messageId, reaction, conversation)
}

/** Emits the event to all users who can see the message. Users who cannot see the actor receive a placeholder user. */
async function emitReaction(
  tx: Transaction,
  actor: Actor,
  op: 'add' | 'remove',
  messageId: number,
  reaction: Reaction,
  conversation: ConversationRef,
): Promise<void> {
  const { realm } = actor
  const audience = await findMessageAudienceIds(tx, [messageId], conversation)
  const { guests } = await findActiveUsers(tx.db, realm.id)
  const audienceIds = new Set(guests.length === 0 ? [] : audience)
  const people = guests.filter((guest) => audienceIds.has(guest.id))
  const nonViewerIds = await findNonViewerIds(tx.db, realm, actor, people, tx.now)
  const url = tx.db.settings.EXTERNAL_URL
  const known = { user_id: actor.id, email: apiEmail(actor, realm, url), full_name: actor.fullName }
  const unknown = { user_id: actor.id, email: placeholderEmail(actor.id, realm, url), full_name: UNKNOWN_USER_NAME }
  for (const [reactor, ids] of [
    [known, nonViewerIds.size === 0 ? audience : audience.filter((id) => !nonViewerIds.has(id))],
    [unknown, [...nonViewerIds]],
  ] as const)
    tx.emit(realm.id, reactionEvent(op, messageId, reaction, { ...reactor, is_mirror_dummy: false }), ids)
}

/** Returns the emoji of the request, whether or not its parts belong together. */
async function readEmoji(
  db: Db,
  realmId: number,
  { name, code, type }: EmojiRequest & { name: string },
): Promise<Emoji> {
  const given = type === undefined ? undefined : requireReactionType(type)
  const named = code === undefined || given === undefined ? await requireEmojiNamed(db, realmId, name) : null
  return {
    emojiName: name,
    emojiCode: code ?? named?.emojiCode ?? '',
    reactionType: given ?? named?.reactionType ?? 'unicode_emoji',
  }
}

async function requireReactable(db: Db, actor: Actor, emoji: Emoji, earlier: EarlierReactions): Promise<Emoji> {
  if (earlier.hasOwn) throw reactionExists()
  if (earlier.firstName !== null) return { ...emoji, emojiName: earlier.firstName }
  await requireEmoji(db, actor.realmId, emoji)
  return emoji
}

/** Finds the actor's reaction by its code, its stored name, or the code that now belongs to the name. */
async function requireOwnReaction(
  db: Db,
  actor: Actor,
  own: readonly Reaction[],
  { name, code, type }: EmojiRequest,
): Promise<Reaction> {
  if (name === undefined && code === undefined) throw noEmojiNamed()
  const given = type === undefined ? undefined : requireReactionType(type)
  const ofType = own.filter((reaction) => given === undefined || reaction.reactionType === given)
  if (code !== undefined) return requireFirst(ofType, (reaction) => reaction.emojiCode === code)
  const named = ofType.find((reaction) => reaction.emojiName === name)
  if (named !== undefined) return named
  const emoji = await requireEmojiNamed(db, actor.realmId, name ?? '')
  return requireFirst(
    ofType,
    ({ emojiCode, reactionType }) => emojiCode === emoji.emojiCode && reactionType === emoji.reactionType,
  )
}

function requireFirst(reactions: readonly Reaction[], matches: (reaction: Reaction) => boolean): Reaction {
  const reaction = reactions.find(matches)
  if (reaction === undefined) throw noSuchReaction()
  return reaction
}

const code = z.string().optional().describe('Distinguishes emoji with the same name. Looked up by name if omitted.')
const type = z.string().optional().describe('`unicode_emoji`, `realm_emoji` or `service_extra_emoji`.')

export const postReaction = endpoint({
  route: 'POST /messages/{message_id}/reactions',
  summary: 'React to a message with an emoji',
  who: 'user',
  params: { emoji_name: z.string(), emoji_code: code, reaction_type: type },
  refuses: [
    invalidMessage,
    reactionExists,
    noSuchEmoji,
    invalidEmojiCode,
    invalidEmojiName,
    invalidEmojiType,
    invalidCustomEmoji,
    customEmojiDeactivated,
    tooManyReactions,
  ],
  async handle({ transaction, actor }, params) {
    const request = { name: params.emoji_name, code: params.emoji_code, type: params.reaction_type }
    await transaction((tx) => addReaction(tx, actor, params.message_id, request))
    return {}
  },
})

export const deleteReaction = endpoint({
  route: 'DELETE /messages/{message_id}/reactions',
  summary: 'Remove a reaction',
  who: 'user',
  params: { emoji_name: z.string().optional(), emoji_code: code, reaction_type: type },
  refuses: [invalidMessage, noEmojiNamed, noSuchReaction, noSuchEmoji, invalidEmojiType],
  async handle({ transaction, actor }, params) {
    const request = { name: params.emoji_name, code: params.emoji_code, type: params.reaction_type }
    await transaction((tx) => removeReaction(tx, actor, params.message_id, request))
    return {}
  },
})
