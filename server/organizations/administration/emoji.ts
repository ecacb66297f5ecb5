import { z } from 'zod'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { canResize, type ImageType, imageTypeOf, toEmoji } from '#lib/images.ts'
import { findUnicodeEmoji } from '#markdown/emoji.ts'
import { insufficientPermission } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { dailyLimitReached, MAX_EMOJI_PER_DAY, requireBelowDailyLimit } from '#people/creation-limits.ts'
import { type Actor, requesterOf } from '#people/users.ts'
import {
  deactivateRealmEmoji,
  emojiJson,
  emojiNameRefusals,
  findRealmEmoji,
  isExtraEmoji,
  type RealmEmoji,
  requireEmojiName,
  saveRealmEmoji,
  toEmojiJson,
} from '#realms/emoji.ts'
import { lockRealm } from '#realms/queries.ts'
import { isAdministrator } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { emojiFilePath } from '../pictures.ts'
import { emitOrganizationEvents } from './save-organization-changes.ts'

const mayNotOverrideEmoji = refusal('BAD_REQUEST', 400, 'Only administrators can override default emoji.', {
  field: 'emoji_name',
})
const mustBeEmojiAuthor = refusal('BAD_REQUEST', 400, 'Must be an organization administrator or emoji author.')

async function requireMayAddEmoji(viewer: Viewer): Promise<void> {
  if (!(await viewer.has('can_add_custom_emoji_group'))) throw insufficientPermission()
}

/** Refuses unless the actor may add a custom emoji with the name of a built-in one. */
function requireMayOverrideEmoji(actor: Actor): void {
  if (!isAdministrator(actor)) throw mayNotOverrideEmoji()
}

/** Refuses unless the actor added the emoji or is an administrator. */
function requireMayRemoveEmoji(actor: Actor, emoji: RealmEmoji): void {
  if (emoji.authorId !== actor.id && !isAdministrator(actor)) throw mustBeEmojiAuthor()
}

const emojiExists = refusal('BAD_REQUEST', 400, 'A custom emoji with this name already exists.', {
  field: 'emoji_name',
})
const noSuchCustomEmoji = refusal('BAD_REQUEST', 404, "Emoji '{name}' does not exist", { field: 'emoji_name' })

/** Refuses if the actor may not add emoji, has reached a limit, or if the name is taken. */
async function requireAddableEmoji(db: Db, actor: Actor, name: string, now: number): Promise<void> {
  await requireMayAddEmoji(viewerOf(db, actor, now))
  if ((await findUsableEmoji(db, actor, name)) !== undefined) throw emojiExists()
  const isBuiltIn = isExtraEmoji(name) || findUnicodeEmoji(name) !== null
  if (isBuiltIn) requireMayOverrideEmoji(actor)
  const creations = { table: 'realmEmoji', by: 'authorId', at: 'createdAt', plural: 'emoji' } as const
  await requireBelowDailyLimit(db, actor, creations, { count: 1, limit: MAX_EMOJI_PER_DAY, now })
}

/** Adds an emoji whose picture is already stored, and emits the change. */
async function addEmoji(
  tx: Transaction,
  actor: Actor,
  { name, fileName, stillFileName }: Pick<RealmEmoji, 'name' | 'fileName' | 'stillFileName'>,
): Promise<void> {
  await lockRealm(tx, actor.realmId)
  await requireAddableEmoji(tx.db, actor, name, tx.now)
  await saveRealmEmoji(tx, { realmId: actor.realmId, name, authorId: actor.id, fileName, stillFileName })
  await recordAudit(tx, actor.realmId, 'organization_changed', { setting: 'emoji', from: null, to: name })
  await emitEmoji(tx, actor.realmId)
}

/** Deactivates an emoji and emits the change. Refuses unless the actor added the emoji or is an administrator. */
async function removeEmoji(tx: Transaction, actor: Actor, name: string): Promise<void> {
  await lockRealm(tx, actor.realmId)
  const emoji = await findUsableEmoji(tx.db, actor, name)
  if (emoji === undefined) throw noSuchCustomEmoji({ name })
  requireMayRemoveEmoji(actor, emoji)
  await deactivateRealmEmoji(tx, emoji.id)
  await recordAudit(tx, actor.realmId, 'organization_changed', { setting: 'emoji', from: name, to: null })
  await emitEmoji(tx, actor.realmId)
}

async function findUsableEmoji(db: Db, actor: Actor, name: string): Promise<RealmEmoji | undefined> {
  const emoji = await findRealmEmoji(db, actor.realmId)
  return emoji.find((one) => one.name === name && one.deactivatedAt === null)
}

async function emitEmoji(tx: Transaction, realmId: number): Promise<void> {
  const realm_emoji = toEmojiJson(await findRealmEmoji(tx.db, realmId))
  await emitOrganizationEvents(tx, realmId, [{ type: 'realm_emoji', op: 'update', realm_emoji }])
}

const KIBIBYTE = 1024

/**
 * The maximum size of an uploaded picture, in bytes. It is smaller if pictures are not resized, because they are then
 * sent to clients unchanged.
 */
const MAX_BYTES = 5 * 1024 * KIBIBYTE
const MAX_UNRESIZED_BYTES = 256 * KIBIBYTE

const exactlyOneEmojiFile = refusal('BAD_REQUEST', 400, 'You must upload exactly one file.', { field: 'file' })
const emojiTooLarge = refusal('BAD_REQUEST', 400, 'Uploaded file is larger than the allowed limit of {limit}', {
  field: 'file',
})
const invalidImage = refusal('BAD_REQUEST', 400, 'Invalid image format', { field: 'file' })

const nameInPath = { emoji_name: z.string().describe('The name as it is written between colons.') }

export const listEmoji = endpoint({
  route: 'GET /realm/emoji',
  summary: 'List custom emoji',
  who: 'user',
  returns: { emoji: z.record(z.string(), emojiJson).describe('By id, deactivated emoji included.') },
  async handle({ db, actor }) {
    return { emoji: toEmojiJson(await findRealmEmoji(db, actor.realmId)) }
  },
})

export const uploadEmoji = endpoint({
  route: 'POST /realm/emoji/{emoji_name}',
  summary: 'Add a custom emoji',
  description: 'The body contains one file in a field of any name: a PNG, GIF, JPEG or WebP image.',
  who: 'member',
  path: nameInPath,
  maxUploadBytes: MAX_BYTES,
  refuses: [
    insufficientPermission,
    emojiExists,
    dailyLimitReached,
    mayNotOverrideEmoji,
    exactlyOneEmojiFile,
    emojiTooLarge,
    invalidImage,
    ...emojiNameRefusals,
  ],
  async handle(call, { emoji_name }) {
    const { db, transaction, files, random, clock, actor } = call
    const name = requireEmojiName(emoji_name)
    await requireAddableEmoji(db, actor, name, clock.now())
    const { bytes, extension, still } = await requirePicture(call)
    const secret = random.bytes(20).toString('hex')
    const fileName = `${secret}.${extension}`
    const stillFileName = still === null ? null : `still/${secret}.png`

    await using cleanup = new AsyncDisposableStack()
    const save = async (file: string, content: Buffer) => {
      cleanup.defer(() => files.delete(emojiFilePath(actor.realmId, file)))
      await files.save(emojiFilePath(actor.realmId, file), content)
    }
    await save(fileName, bytes)
    if (still !== null && stillFileName !== null) await save(stillFileName, still)
    await transaction(async (tx) => {
      await addEmoji(tx, actor, { name, fileName, stillFileName })
      // A commit that seems to have failed may have succeeded, so the files are kept from here on. Unreferenced files
      // are deleted later.
      if (!cleanup.disposed) cleanup.move()
    })
    return {}
  },
})

export const removeEmojiEndpoint = endpoint({
  route: 'DELETE /realm/emoji/{emoji_name}',
  summary: 'Deactivate a custom emoji',
  description:
    'Requires the author of the emoji or an administrator. Messages and reactions that use the emoji still show it.',
  who: 'member',
  path: nameInPath,
  refuses: [noSuchCustomEmoji, mustBeEmojiAuthor],
  async handle({ transaction, actor }, { emoji_name }) {
    await transaction((tx) => removeEmoji(tx, actor, emoji_name))
    return {}
  },
})

type Picture = { bytes: Buffer; extension: ImageType['extension']; still: Buffer | null }

/** Returns the picture to show and, if it is animated, a still version of it. */
async function requirePicture({ uploads, settings, actor }: Call): Promise<Picture> {
  const [upload, another] = uploads
  if (upload === undefined || another !== undefined) throw exactlyOneEmojiFile()
  const isResized = canResize(settings)
  if (isResized && upload.bytes.length > MAX_BYTES) throw emojiTooLarge({ limit: '5 MiB' })
  if (!isResized && upload.bytes.length > MAX_UNRESIZED_BYTES) throw emojiTooLarge({ limit: '256 KiB' })
  const type = imageTypeOf(upload.bytes)
  if (type === null) throw invalidImage()
  if (!isResized) return { bytes: upload.bytes, extension: type.extension, still: null }
  const resized = await toEmoji(upload.bytes, requesterOf(actor, settings.RATE_LIMITING))
  if (resized === null) throw invalidImage()
  return resized.moving === null
    ? { bytes: resized.still, extension: 'png', still: null }
    : { bytes: resized.moving, extension: 'gif', still: resized.still }
}
