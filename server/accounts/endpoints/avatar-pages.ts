import { viewerOf } from '#groups/viewer.ts'
import { authMethodOf, type CallerServices, requireActor } from '#http/auth/caller.ts'
import { decodeFormText } from '#http/body/form.ts'
import type { Services } from '#http/endpoint.ts'
import { notFound } from '#http/refusals.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/wire/http-types.ts'
import { withApiRefusals } from '#http/with-api-refusals.ts'
import { imageTypeOf } from '#lib/encoding/image-type.ts'
import { findUserByApiEmail } from '#people/users/addresses/api-email-queries.ts'
import { builtInImage } from '#people/users/built-in-images.ts'
import { findUser } from '#people/users/queries.ts'
import { isVisible, mediumAvatarUrl, ownAvatarUrl, UNKNOWN_USER_AVATAR, type User } from '#people/users/user.ts'
import { AVATARS } from '#storage/files/folders.ts'

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
  services: CallerServices & Pick<Services, 'files'>,
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
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
    // Pages of other origins may show avatars. Bridges to other services do so.
    'cross-origin-resource-policy': 'cross-origin',
  },
  body: bytes,
})

/**
 * Redirects to the account's avatar. Requires a login, because the URL of a gravatar reveals the hash of an address.
 */
async function redirectToAvatar(
  services: CallerServices,
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
