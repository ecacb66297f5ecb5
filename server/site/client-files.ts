import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { acceptsEncoding } from '#http/responses.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import { findAddressedRealm } from '#realms/queries.ts'
import { APP_ICON, APP_ICON_SIZE, type Realm, realmPictureUrl } from '#realms/realm.ts'

// The files of the built web client, as the build has compressed them. Browsers may keep only files whose names
// contain their hash.

/** The files of the built web client: `index.html`, and in `assets` files whose names contain their hash. */
export type ClientFiles = {
  /** Returns the start page; null if the client is not built. */
  readIndex(): Promise<string | null>
  /** Returns the service worker; null if the client is not built. */
  readServiceWorker(): Promise<string | null>
  /** Returns a file of `assets`, compressed if the build compressed it; null if there is none. */
  findAsset(name: string, request: Pick<HttpRequest, 'headers'>): Promise<HttpResponse | null>
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

/** File names without a folder. */
const NAME = /^[\w-][\w.-]{0,199}$/

const ENCODINGS = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
]

export function openClientFiles(folder: string): ClientFiles {
  return {
    readIndex: () => readFile(join(folder, 'index.html'), 'utf8').catch(whenMissing),
    readServiceWorker: () => readFile(join(folder, 'service-worker.js'), 'utf8').catch(whenMissing),
    async findAsset(name, request) {
      const type = TYPES[extname(name)]
      if (type === undefined || !NAME.test(name)) return null
      const headers = {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      }
      const path = join(folder, 'assets', name)
      for (const { encoding, ending } of ENCODINGS) {
        if (!acceptsEncoding(request, encoding)) continue
        const body = await findBody(path + ending)
        if (body !== null) return { status: 200, headers: { ...headers, 'content-encoding': encoding }, body }
      }
      const body = await findBody(path)
      return body === null ? null : { status: 200, headers, body }
    },
  }
}

async function findBody(path: string): Promise<HttpResponse['body'] | null> {
  const found = await stat(path).catch(whenMissing)
  return found?.isFile() ? { length: found.size, open: () => createReadStream(path) } : null
}

function whenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

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
      'content-security-policy': CONTENT_POLICIES.serviceWorker,
    }
    return script === null ? null : { status: 200, headers: { ...headers, ...own }, body: script }
  }
  if (request.path !== '/manifest.webmanifest') return null
  const realm = await findAddressedRealm(services.db, request)
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
