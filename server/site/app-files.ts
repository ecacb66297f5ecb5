import { findAddressedRealm } from '#http/auth/caller.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { APP_ICON_SIZE } from '#people/users/built-in-images.ts'
import { APP_ICON, type Realm, realmPictureUrl } from '#realms/realm.ts'
import type { ClientFiles } from './client-files.ts'

const headers = { 'cache-control': 'no-cache' }

/**
 * Serves the files that make the client an installable app, at fixed addresses: the service worker and the manifest.
 * Returns null for all other paths, and for missing files.
 */
export async function findAppFile(
  services: Pick<Services, 'db' | 'settings'>,
  files: ClientFiles,
  request: HttpRequest,
): Promise<HttpResponse | null> {
  if (request.path === '/service-worker.js') {
    const script = await files.readServiceWorker()
    const own = {
      'content-type': 'text/javascript; charset=utf-8',
      'content-security-policy': "default-src 'none'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    }
    return script === null ? null : { status: 200, headers: { ...headers, ...own }, body: script }
  }
  if (request.path !== '/manifest.webmanifest') return null
  const realm = await findAddressedRealm(services, request)
  if (realm === null) return null
  const own = { 'content-type': 'application/manifest+json' }
  return { status: 200, headers: { ...headers, ...own }, body: JSON.stringify(manifestOf(realm)) }
}

const LARGE_ICON_SIZE = 500

/** Returns the larger version of an uploaded icon. If images are not resized, the icon has its original size. */
function iconsOf(realm: Realm) {
  const [src, side] =
    realm.pictures.icon === undefined
      ? [APP_ICON, APP_ICON_SIZE]
      : [realmPictureUrl(realm, 'icon').replace(/\.png$/, '-medium.png'), LARGE_ICON_SIZE]
  return [{ src, sizes: `${side}x${side}`, type: 'image/png' }]
}

const manifestOf = (realm: Realm) => ({
  id: '/',
  name: `${realm.name} – Parley`,
  short_name: realm.name,
  start_url: '/',
  display: 'standalone',
  icons: iconsOf(realm),
})
