import { z } from 'zod'
import { type Call, endpoint } from '#http/endpoint.ts'
import { type ImageType, imageTypeOf } from '#lib/encoding/image-type.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { toEmoji } from '#lib/images/resize.ts'
import { canResize } from '#lib/images/sharp.ts'
import { insufficientPermission } from '#people/users/access.ts'
import { dailyLimitReached } from '#people/users/daily-limits.ts'
import { requesterOf } from '#people/users/user.ts'
import { emojiJson, toEmojiJson } from '#realms/emoji-json.ts'
import { emojiNameRefusals, requireEmojiName } from '#realms/emoji-name.ts'
import { findRealmEmoji } from '#realms/emoji-queries.ts'
import { mayNotOverrideEmoji, mustBeEmojiAuthor } from '../access.ts'
import * as emoji from '../change-custom-emoji.ts'
import { emojiFilePath } from './emoji-images.ts'

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
    emoji.emojiExists,
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
    await emoji.requireAddableEmoji(db, actor, name, clock.now())
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
      await emoji.addEmoji(tx, actor, { name, fileName, stillFileName })
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
  refuses: [emoji.noSuchCustomEmoji, mustBeEmojiAuthor],
  async handle({ transaction, actor }, { emoji_name }) {
    await transaction((tx) => emoji.removeEmoji(tx, actor, emoji_name))
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
