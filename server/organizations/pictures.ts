import type { Settings } from '#config.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import type { OtherOperations } from '#http/openapi.ts'
import { notFound, wireRefusalResponse } from '#http/refusals.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import type { Requester } from '#lib/fair-queue.ts'
import { canResize, contentTypeOf, type ImageType, imageTypeOf, toAvatar, toLogo } from '#lib/images.ts'
import { findAddressedRealm } from '#realms/queries.ts'
import { largeIconPath, type RealmPictureKind, realmPicturePath, realmPictureUrl } from '#realms/realm.ts'
import { EMOJI, type FileStore } from '#storage/files.ts'

// The icons, logos and emoji of organizations: resizing them when they are uploaded, and the pages that serve them.
// They are served without a login, because the login page shows them; file names of emoji cannot be guessed.

/**
 * Resizes the picture to the size for its kind, and an icon also to a larger size. Returns null if the picture cannot
 * be decoded.
 */
export async function toRealmPicture(
  settings: Settings,
  kind: RealmPictureKind,
  bytes: Buffer,
  requester: Requester,
): Promise<{ picture: Buffer; large: Buffer | null } | null> {
  if (!canResize(settings)) return { picture: bytes, large: null }
  if (kind === 'icon') {
    const icon = await toAvatar(bytes, requester)
    return icon && { picture: icon.small, large: icon.medium }
  }
  const logo = await toLogo(bytes, requester)
  return logo && { picture: logo, large: null }
}

const UPLOADED = /^\/user_avatars\/(\d{1,15})\/realm\/([0-9a-f]{40})(-medium)?\.png$/
const CURRENT = /^\/(?:json|api\/v1)\/realm\/(icon|logo)$/

const redirectOperation = (operationId: string, summary: string, parameters: readonly object[]) => ({
  get: {
    operationId,
    tags: ['Organization'],
    summary,
    description: 'Redirects to the picture, or to the built-in one. Needs no credentials.',
    security: [],
    parameters,
    responses: {
      302: {
        description: 'The address of the picture.',
        headers: { Location: { required: true, schema: { type: 'string' } } },
      },
    },
  },
})

/** The redirects to the current pictures, for the OpenAPI document. */
export const realmPictureOperations: OtherOperations = {
  '/realm/icon': redirectOperation('getRealmIcon', 'Get the icon of the organization', []),
  '/realm/logo': redirectOperation('getRealmLogo', 'Get a logo of the organization', [
    {
      name: 'night',
      in: 'query',
      required: false,
      description: 'Whether to get the logo for the dark theme.',
      schema: { type: 'boolean', default: false },
    },
  ]),
}

/**
 * Returns a handler for the icons and logos of organizations. It serves the uploaded files, and redirects other paths
 * to the current icon or logo of the organization at the requested host. It requires no login, because the login page
 * shows these pictures. It returns null for unrelated paths.
 */
export function realmPicturePages(
  services: Pick<Services, 'db' | 'settings' | 'files'>,
): (request: HttpRequest) => Promise<HttpResponse> | null {
  return (request) => {
    const { method, path, query } = request
    if (method !== 'GET' && method !== 'HEAD') return null
    const [, realmId, name, large] = UPLOADED.exec(path) ?? []
    if (name !== undefined)
      return serveRealmPicture(services.files, Number(realmId), `${name}.png`, large !== undefined)
    const shape = CURRENT.exec(path)?.[1]
    if (shape === undefined) return null
    const isNight = query.get('night') === 'true'
    return redirectToPicture(services, request, shape === 'icon' ? 'icon' : isNight ? 'night_logo' : 'logo')
  }
}

async function serveRealmPicture(
  files: FileStore,
  realmId: number,
  name: string,
  isLarge: boolean,
): Promise<HttpResponse> {
  const large = isLarge ? await files.read(largeIconPath(realmId, name)) : null
  const bytes = large ?? (await files.read(realmPicturePath(realmId, name)))
  const type = bytes === null ? null : imageTypeOf(bytes)
  if (bytes === null || type === null) return wireRefusalResponse(notFound())
  return pictureResponse(type.contentType, bytes, {
    'content-security-policy': CONTENT_POLICIES.sandboxed,
    'cross-origin-resource-policy': 'cross-origin',
  })
}

async function redirectToPicture(
  { db }: Pick<Services, 'db'>,
  request: HttpRequest,
  kind: RealmPictureKind,
): Promise<HttpResponse> {
  const realm = await findAddressedRealm(db, request)
  const location = realmPictureUrl(realm ?? { id: 0, pictures: {} }, kind)
  return { status: 302, headers: { 'cache-control': 'no-cache', location }, body: '' }
}

/** Returns a stored picture. Browsers may keep it forever, because a file name is never reused for another picture. */
const pictureResponse = (contentType: string, body: Buffer, headers: Record<string, string> = {}): HttpResponse => ({
  status: 200,
  headers: { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable', ...headers },
  body,
})

/** Returns the path of an emoji's picture in the file store. */
export const emojiFilePath = (realmId: number, fileName: string) => `${EMOJI}/${realmId}/${fileName}`

const IMAGE =
  /^\/user_avatars\/(?<realm>[0-9]{1,15})\/emoji\/images\/(?<file>(?:still\/)?[0-9a-f]{40}\.(?<type>png|gif|jpg|webp))$/

/**
 * Returns a handler that serves the pictures of custom emoji, and returns null for all other paths. It requires no
 * login, because the file names cannot be guessed.
 */
export function emojiImagePages(files: FileStore): (request: HttpRequest) => Promise<HttpResponse> | null {
  return ({ method, path }) => {
    const found = method === 'GET' || method === 'HEAD' ? IMAGE.exec(path)?.groups : undefined
    if (found === undefined) return null
    const { realm, file, type } = found as { realm: string; file: string; type: ImageType['extension'] }
    return serveEmoji(files, emojiFilePath(Number(realm), file), type)
  }
}

async function serveEmoji(files: FileStore, name: string, type: ImageType['extension']): Promise<HttpResponse> {
  const bytes = await files.read(name)
  return bytes === null ? wireRefusalResponse(notFound()) : pictureResponse(contentTypeOf(type), bytes)
}
