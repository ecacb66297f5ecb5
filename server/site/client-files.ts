import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { acceptsEncoding } from '#http/wire/accepts-encoding.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'

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
  '.svg': 'image/svg+xml',
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
