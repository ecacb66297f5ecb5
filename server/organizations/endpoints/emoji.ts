import { z } from 'zod'
import { type ImageType, imageTypeOf } from '../../base/image-type.ts'
import { refusal } from '../../base/refusal.ts'
import { type Call, endpoint } from '../../http/endpoint.ts'
import { emojiJson, toEmojiJson } from '../../realms/emoji-json.ts'
import { emojiNameRefusals, requireEmojiName } from '../../realms/emoji-name.ts'
import { findRealmEmoji } from '../../realms/emoji-queries.ts'
import { insufficientPermission } from '../../users/access.ts'
import * as emoji from '../custom-emoji.ts'
import { emojiFile } from './emoji-images.ts'

/** Pictures are stored and shown as they came, so none may be a burden to those who see it. */
const MAX_KIBIBYTES = 256

export const oneFileOnly = refusal('BAD_REQUEST', 400, 'You must upload exactly one file.')
export const emojiTooLarge = refusal(
  'BAD_REQUEST',
  400,
  `Uploaded file is larger than the allowed limit of ${MAX_KIBIBYTES} KiB`,
)
export const invalidImage = refusal('BAD_REQUEST', 400, 'Invalid image format')

const nameInPath = { emoji_name: z.string().describe('As it stands between colons.') }

export const listEmoji = endpoint({
  route: 'GET /realm/emoji',
  summary: 'Get all custom emoji',
  who: 'user',
  returns: { emoji: z.record(z.string(), emojiJson).describe('By id; deactivated ones included.') },
  async handle({ db, actor }) {
    return { emoji: toEmojiJson(await findRealmEmoji(db, actor.realmId)) }
  },
})

export const uploadEmoji = endpoint({
  route: 'POST /realm/emoji/{emoji_name}',
  summary: 'Add a custom emoji',
  description: 'The body has one file, in a field of any name: a PNG, GIF, JPEG or WebP picture.',
  who: 'user',
  path: nameInPath,
  maxUploadBytes: MAX_KIBIBYTES * 1024,
  refuses: [
    insufficientPermission,
    emoji.emojiExists,
    emoji.mayNotOverrideEmoji,
    oneFileOnly,
    emojiTooLarge,
    invalidImage,
    ...emojiNameRefusals,
  ],
  async handle(call, { emoji_name }) {
    const { db, transaction, files, random, clock, actor } = call
    const name = requireEmojiName(emoji_name)
    await emoji.requireMayAddEmoji(db, actor, name, clock.now())
    const { bytes, extension } = requirePicture(call.uploads)
    const fileName = `${random.bytes(20).toString('hex')}.${extension}`

    await using kept = new AsyncDisposableStack()
    kept.defer(() => files.delete(emojiFile(actor.realmId, fileName)))
    await files.save(emojiFile(actor.realmId, fileName), bytes)
    await transaction((tx) => emoji.addEmoji(tx, actor, { name, fileName }))
    kept.move()
    return {}
  },
})

export const removeEmoji = endpoint({
  route: 'DELETE /realm/emoji/{emoji_name}',
  summary: 'Deactivate a custom emoji',
  description: 'For its author and administrators. It stays in the messages and reactions that have it.',
  who: 'user',
  path: nameInPath,
  refuses: [emoji.noSuchEmoji, emoji.mustBeEmojiAuthor],
  async handle({ transaction, actor }, { emoji_name }) {
    await transaction((tx) => emoji.removeEmoji(tx, actor, emoji_name))
    return {}
  },
})

function requirePicture(uploads: Call['uploads']): { bytes: Buffer; extension: ImageType['extension'] } {
  const [upload, another] = uploads
  if (upload === undefined || another !== undefined) throw oneFileOnly()
  if (upload.bytes.length > MAX_KIBIBYTES * 1024) throw emojiTooLarge()
  const type = imageTypeOf(upload.bytes)
  if (type === null) throw invalidImage()
  return { bytes: upload.bytes, extension: type.extension }
}
