import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { viteBuild } from '../../tools/vite-build.mjs'

const ROOT = path.join(import.meta.dirname, '../..')

/** Builds and serves the empty React page with the headers of the client's own files. */
export async function serveEmptyPage(): Promise<{ url: string; close(): void }> {
  const complaint = await viteBuild(ROOT, 'bench/web/empty-page', 'dist', process.execPath)
  if (complaint !== null) throw new Error(complaint)
  const read = (name: string) => gzipSync(readFileSync(path.join(import.meta.dirname, 'empty-page/dist', name)))
  const page = read('index.html')
  const server = createServer(({ url = '/' }, response) => {
    const isAsset = url.startsWith('/assets/')
    response.writeHead(200, {
      'content-type': isAsset ? 'text/javascript' : 'text/html',
      'content-encoding': 'gzip',
      'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    response.end(isAsset ? read(url.slice(1)) : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}
