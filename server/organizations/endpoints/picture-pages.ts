import { findAddressedRealm } from '#http/auth/caller.ts'
import type { Services } from '#http/endpoint.ts'
import type { OtherOperations } from '#http/reference/openapi.ts'
import { notFound } from '#http/refusals.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { wireRefusalResponse } from '#http/wire/wire-refusals.ts'
import { imageTypeOf } from '#lib/encoding/image-type.ts'
import { largeIconPath, realmPicturePath } from '#realms/picture-files.ts'
import { type RealmPictureKind, realmPictureUrl } from '#realms/realm.ts'
import type { FileStore } from '#storage/files/files.ts'

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
    if (name !== undefined) return serve(services.files, Number(realmId), `${name}.png`, large !== undefined)
    const shape = CURRENT.exec(path)?.[1]
    if (shape === undefined) return null
    const isNight = query.get('night') === 'true'
    return redirectToPicture(services, request, shape === 'icon' ? 'icon' : isNight ? 'night_logo' : 'logo')
  }
}

async function serve(files: FileStore, realmId: number, name: string, isLarge: boolean): Promise<HttpResponse> {
  const large = isLarge ? await files.read(largeIconPath(realmId, name)) : null
  const bytes = large ?? (await files.read(realmPicturePath(realmId, name)))
  const type = bytes === null ? null : imageTypeOf(bytes)
  if (bytes === null || type === null) return wireRefusalResponse(notFound())
  return {
    status: 200,
    headers: {
      'content-type': type.contentType,
      // This is safe, because a file name is never reused for another picture.
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
    },
    body: bytes,
  }
}

async function redirectToPicture(
  services: Pick<Services, 'db' | 'settings'>,
  request: HttpRequest,
  kind: RealmPictureKind,
): Promise<HttpResponse> {
  const realm = await findAddressedRealm(services, request)
  const location = realmPictureUrl(realm ?? { id: 0, pictures: {} }, kind)
  return { status: 302, headers: { 'cache-control': 'no-cache', location }, body: '' }
}
