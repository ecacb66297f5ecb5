import { z } from 'zod'
import { type Call, endpoint } from '#http/endpoint.ts'
import { imageTypeOf } from '#lib/encoding/image-type.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { toAvatar } from '#lib/images/resize.ts'
import { canResize } from '#lib/images/sharp.ts'
import { avatarChangesDisabled, requireMayChangeAvatar, requireUser } from '#people/users/access.ts'
import { ownAvatarUrl, requesterOf } from '#people/users/user.ts'
import type { FileStore } from '#storage/files/files.ts'
import { changeAvatar } from '../change-avatar.ts'
import { avatarPath, mediumAvatarPath } from './avatar-pages.ts'

const MEBIBYTES = 5
const MAX_BYTES = MEBIBYTES * 1024 * 1024

const exactlyOneAvatar = refusal('BAD_REQUEST', 400, 'You must upload exactly one avatar.', { field: 'file' })
const avatarTooLarge = refusal(
  'BAD_REQUEST',
  400,
  `Uploaded file is larger than the allowed limit of ${MEBIBYTES} MiB`,
  { field: 'file' },
)
const notAnImage = refusal('BAD_REQUEST', 400, 'Could not decode image; did you upload an image file?', {
  field: 'file',
})

export const setAvatar = endpoint({
  route: 'POST /users/me/avatar',
  summary: 'Upload your picture',
  description: 'A PNG, JPEG, GIF or WebP image, which is cropped to a square. Its URL changes with each upload.',
  who: 'human',
  maxUploadBytes: MAX_BYTES,
  returns: { avatar_url: z.string() },
  refuses: [exactlyOneAvatar, avatarChangesDisabled, avatarTooLarge, notAnImage],
  async handle(call) {
    const { actor, uploads, files, random } = call
    const [upload] = uploads
    if (upload === undefined || uploads.length > 1) throw exactlyOneAvatar()
    requireMayChangeAvatar(actor)
    if (upload.bytes.length > MAX_BYTES) throw avatarTooLarge()
    const pictures = await requirePictures(call, upload.bytes)

    const name = `${actor.realmId}/${random.bytes(20).toString('hex')}.png`
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => deletePictures(files, name))
    await files.save(avatarPath(name), pictures.small)
    if (pictures.medium !== null) await files.save(mediumAvatarPath(name), pictures.medium)
    // A commit that seems to have failed may have succeeded, so the files are kept from here on. Unreferenced files are
    // deleted later.
    return {
      avatar_url: await replaceAvatar(call, name, () => {
        if (!cleanup.disposed) cleanup.move()
      }),
    }
  },
})

export const deleteAvatar = endpoint({
  route: 'DELETE /users/me/avatar',
  summary: 'Remove your picture',
  description: 'Your gravatar is shown instead.',
  who: 'human',
  returns: { avatar_url: z.string() },
  refuses: [avatarChangesDisabled],
  async handle(call) {
    requireMayChangeAvatar(call.actor)
    return { avatar_url: await replaceAvatar(call, null) }
  },
})

/** Returns the picture in both sizes. If images are not resized, it returns only the unchanged picture. */
async function requirePictures(
  { settings, actor }: Call,
  bytes: Buffer,
): Promise<{ small: Buffer; medium: Buffer | null }> {
  if (imageTypeOf(bytes) === null) throw notAnImage()
  if (!canResize(settings)) return { small: bytes, medium: null }
  const pictures = await toAvatar(bytes, requesterOf(actor, settings.RATE_LIMITING))
  if (pictures === null) throw notAnImage()
  return pictures
}

async function deletePictures(files: FileStore, name: string): Promise<void> {
  await files.delete(avatarPath(name))
  await files.delete(mediumAvatarPath(name))
}

/** Replaces the avatar and returns the new URL. The old file is deleted if nothing refers to it any more. */
async function replaceAvatar(
  { actor, files, transaction }: Call,
  name: string | null,
  onWritten: () => void = () => {},
): Promise<string> {
  const { before, after } = await transaction(async (tx) => {
    const before = await requireUser(tx.db, actor, actor.id)
    if (name === null && before.avatarFile === null) return { before, after: before }
    const after = await changeAvatar(tx, actor.realm, before, name)
    onWritten()
    return { before, after }
  })
  if (before.avatarFile !== null && before.avatarFile !== after.avatarFile) {
    await deletePictures(files, before.avatarFile)
  }
  return ownAvatarUrl(after)
}
