import { createHmac, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { authMethodOf } from '#http/authentication.ts'
import { type CallerServices, requireActor, withApiRefusals } from '#http/caller.ts'
import { type Call, endpoint, type Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/http-types.ts'
import { decodeFormText } from '#http/params.ts'
import { notFound } from '#http/refusals.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import { refusal } from '#lib/errors.ts'
import { SERVER_REQUESTER } from '#lib/fair-queue.ts'
import { fetchMedia, isWebAddress } from '#lib/guarded-fetch.ts'
import { canResize, imageTypeOf, toAvatar } from '#lib/images.ts'
import { projectRoot } from '#lib/process.ts'
import { avatarChangesDisabled, findUserByApiEmail, requireMayChangeAvatar, requireUser } from '#people/access.ts'
import { findUser } from '#people/user-queries.ts'
import {
  isVisible,
  mediumAvatarUrl,
  ownAvatarUrl,
  requesterOf,
  SYSTEM_BOT_AVATAR,
  UNKNOWN_USER_AVATAR,
  type User,
} from '#people/users.ts'
import { extraEmojiNames, extraEmojiUrl } from '#realms/emoji.ts'
import { APP_ICON, REALM_ICON } from '#realms/realm.ts'
import { MAX_PICTURE_MEBIBYTES } from '#rules/shared-limits.ts'
import { AVATARS, type FileStore } from '#storage/files.ts'
import { changeAvatar } from './change-users.ts'

// Avatars: the pages that serve them, with the pictures that come with the server, and the endpoints that change
// them. An uploaded picture is stored only after it was decoded and resized, and it is served so that browsers never
// run it.

/** The files of the built-in images, by the paths at which they are served. */
const FILES: Record<string, string> = {
  [UNKNOWN_USER_AVATAR]: 'unknown-user.png',
  [SYSTEM_BOT_AVATAR]: 'system-bot.png',
  [REALM_ICON]: 'organization-icon.png',
  [APP_ICON]: 'app-icon.png',
  ...Object.fromEntries(extraEmojiNames.map((name) => [extraEmojiUrl(name), 'speech-bubble.png'])),
}

const images = new Map<string, Buffer>()

/**
 * Returns the built-in image with this path as PNG; null for any other path. Each file is read when it is first
 * requested.
 */
function builtInImage(path: string): Buffer | null {
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined
  if (file === undefined) return null
  const image = images.get(file) ?? readFileSync(join(projectRoot, 'server/accounts/built-in-images', file))
  images.set(file, image)
  return image
}

const UPLOADED = /^\/user_avatars\/(\d{1,15}\/[0-9a-f]{40})(-medium)?\.png$/
const OF_USER = /^\/avatar\/([^/]{1,960})(\/medium)?$/
const USER_ID = /^\d{1,15}$/

/** Returns the path of an uploaded avatar in the file store. `name` is the account's `avatarFile`. */
export const avatarPath = (name: string) => `${AVATARS}/${name}`

/** Returns the path of the larger version of an avatar, which exists only if images are resized. */
export const mediumAvatarPath = (name: string) => avatarPath(name.replace(/\.png$/, '-medium.png'))

/** A cache lifetime without limit is safe, because a file name is never reused for another picture. */
const FOREVER = 'public, max-age=31536000, immutable'
const ONE_DAY = 'public, max-age=86400'

/**
 * Returns a handler for avatars, which are not part of the API. It serves uploaded pictures and built-in images. It
 * redirects `/avatar/{user_id}` and `/avatar/{email}` to the current avatar of the account. It returns null for all
 * other paths.
 */
export function avatarPages(
  services: CallerServices & Pick<Services, 'db' | 'files'>,
): (request: HttpRequest) => HttpResponse | Promise<HttpResponse> | null {
  return (request) => {
    const { method, path } = request
    if (method !== 'GET' && method !== 'HEAD') return null
    const builtIn = builtInImage(path)
    if (builtIn !== null) return image(builtIn, 'image/png', ONE_DAY)
    const [, name, large] = UPLOADED.exec(path) ?? []
    if (name !== undefined) return answerUploaded(services, `${name}.png`, large !== undefined)
    const [, idOrEmail, medium] = OF_USER.exec(path) ?? []
    if (idOrEmail === undefined) return null
    return withApiRefusals(services, request, (headers) =>
      redirectToAvatar(services, request, headers, { idOrEmail, isMedium: medium !== undefined }),
    )
  }
}

async function answerUploaded(
  { files }: Pick<Services, 'files'>,
  name: string,
  isLarge: boolean,
): Promise<HttpResponse> {
  const large = isLarge ? await files.read(mediumAvatarPath(name)) : null
  const bytes = large ?? (await files.read(avatarPath(name)))
  const type = bytes === null ? null : imageTypeOf(bytes)
  if (bytes === null || type === null) throw notFound()
  return image(bytes, type.contentType, FOREVER)
}

const image = (bytes: Buffer, type: string, caching: string): HttpResponse => ({
  status: 200,
  headers: {
    'content-type': type,
    'cache-control': caching,
    'content-security-policy': CONTENT_POLICIES.sandboxed,
    // Pages of other origins may show avatars. Bridges to other services do so.
    'cross-origin-resource-policy': 'cross-origin',
  },
  body: bytes,
})

/**
 * Redirects to the account's avatar. Requires a login, because the URL of a gravatar reveals the hash of an address.
 */
async function redirectToAvatar(
  services: CallerServices & Pick<Services, 'db'>,
  request: HttpRequest,
  headers: ResponseHeaders,
  { idOrEmail, isMedium }: { idOrEmail: string; isMedium: boolean },
): Promise<HttpResponse> {
  const { db, clock } = services
  const { actor } = await requireActor(services, request, headers, { authMethod: authMethodOf(request) })
  const visible = await viewerOf(db, actor, clock.now()).visibleIds()
  const isKnown = (found: User) => isVisible(visible, found)
  const user = USER_ID.test(idOrEmail)
    ? await findUser(db, Number(idOrEmail))
    : await findUserByApiEmail(db, actor.realm, decodeFormText(idOrEmail.replaceAll('+', '%2B')), isKnown)
  const isVisibleToActor = user?.realmId === actor.realmId && isKnown(user)
  const location = !isVisibleToActor ? UNKNOWN_USER_AVATAR : isMedium ? mediumAvatarUrl(user) : ownAvatarUrl(user)
  return { status: 302, headers: { ...headers, location }, body: '' }
}

export const MAX_PICTURE_BYTES = MAX_PICTURE_MEBIBYTES * 1024 * 1024

const exactlyOneAvatar = refusal('BAD_REQUEST', 400, 'You must upload exactly one avatar.', { field: 'file' })
export const pictureTooLarge = refusal(
  'BAD_REQUEST',
  400,
  `Uploaded file is larger than the allowed limit of ${MAX_PICTURE_MEBIBYTES} MiB`,
  { field: 'file' },
)
export const notAnImage = refusal('BAD_REQUEST', 400, 'Could not decode image; did you upload an image file?', {
  field: 'file',
})

export const setAvatar = endpoint({
  route: 'POST /users/me/avatar',
  summary: 'Upload your picture',
  description: 'A PNG, JPEG, GIF or WebP image, which is cropped to a square. Its URL changes with each upload.',
  who: 'human',
  maxUploadBytes: MAX_PICTURE_BYTES,
  returns: { avatar_url: z.string() },
  refuses: [exactlyOneAvatar, avatarChangesDisabled, pictureTooLarge, notAnImage],
  async handle(call) {
    const { actor, uploads, files, random } = call
    const [upload] = uploads
    if (upload === undefined || uploads.length > 1) throw exactlyOneAvatar()
    requireMayChangeAvatar(actor)
    if (upload.bytes.length > MAX_PICTURE_BYTES) throw pictureTooLarge()
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

/** Returns the paths of the pictures of an uploaded avatar in the file store. */
export const avatarFilesOf = (name: string): string[] => [avatarPath(name), mediumAvatarPath(name)]

/** The time limit for a picture of another service, in seconds. */
const FETCH_TIME_LIMIT = 5

/**
 * Saves the picture at an address as the avatar of an account to be created, and returns its name. Returns null if there
 * is no usable picture. Unreferenced files are deleted later.
 */
export async function fetchAvatar(
  { settings, files, random }: Pick<Services, 'settings' | 'files' | 'random'>,
  realmId: number,
  address: string,
): Promise<string | null> {
  const options = {
    timeLimit: FETCH_TIME_LIMIT,
    privateHosts: settings.OUTGOING_WEBHOOK_PRIVATE_HOSTS,
    signal: new AbortController().signal,
  }
  const bytes = URL.canParse(address) && canResize(settings) ? await fetchMedia(address, options, isWebAddress) : null
  const name = `${realmId}/${random.bytes(20).toString('hex')}.png`
  return bytes instanceof Buffer && (await savePictures(files, name, bytes)) ? name : null
}

/** Saves both sizes of a picture. Returns false if it is not usable. */
async function savePictures(files: FileStore, name: string, bytes: Buffer): Promise<boolean> {
  const pictures = imageTypeOf(bytes) === null ? null : await toAvatar(bytes, SERVER_REQUESTER)
  if (pictures === null) return false
  await files.save(avatarPath(name), pictures.small)
  await files.save(mediumAvatarPath(name), pictures.medium)
  return true
}

/**
 * Returns the name of the avatar that a picture of a directory leads to. The same picture of the same user has the same
 * name, so that it is saved once; the name cannot be guessed.
 */
export const directoryAvatarName = (secret: KeyObject, { id, realmId }: User, bytes: Buffer): string =>
  `${realmId}/${createHmac('sha256', secret).update(`avatar ${id} `).update(bytes).digest('hex').slice(0, 40)}.png`

/** Saves a picture of a directory under its name. Returns false if it is not usable. */
export const saveDirectoryAvatar = async (
  { settings, files }: Pick<Services, 'settings' | 'files'>,
  name: string,
  bytes: Buffer,
): Promise<boolean> =>
  bytes.length <= MAX_PICTURE_BYTES && canResize(settings) && (await savePictures(files, name, bytes))

async function deletePictures(files: FileStore, name: string): Promise<void> {
  for (const path of avatarFilesOf(name)) await files.delete(path)
}

/** Replaces the avatar and returns the new URL. The old file is deleted if nothing refers to it. */
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
