/** Serves the built client while the server cannot be reached. This code runs in the service worker. */

/**
 * The cache of the client's page for the user who is logged in. It is deleted when they log out
 * (`web/browser/personal-data.ts`).
 */
const PAGE_CACHE = 'parley-page'
const ASSET_CACHE = 'parley-assets'
const PAGE = '/'

/** Paths that never belong to the web client, as in `server/site/serve-client.ts`. */
const FOREIGN =
  /^\/(static|assets|avatar|external_content|user_avatars|user_uploads|accounts|calls|join|new|login|logout|testing|json|api)(\/|$)/

const isAsset = (path: string) => path.startsWith('/assets/')

export type FetchEvent = Event & {
  readonly request: Request
  readonly preloadResponse: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
  waitUntil(done: Promise<unknown>): void
}

/** A page's request to cache its files, and to cache the page itself for its user. */
export type CacheRequest = { readonly userId: number; readonly assets: readonly string[] }

/**
 * Serves pages from the network, or from the cache if the network fails. Serves files from the cache first, since their
 * names contain a hash of their content.
 */
export function serve(event: FetchEvent): void {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (isAsset(pathname)) event.respondWith(serveAsset(event))
  else if (request.mode === 'navigate' && !FOREIGN.test(pathname)) event.respondWith(servePage(event))
}

async function serveAsset(event: FetchEvent): Promise<Response> {
  const { request } = event
  const known = await findCached(ASSET_CACHE, request)
  if (known !== undefined) return known
  const response = await fetch(request)
  if (response.ok) event.waitUntil(cacheAsset(request, response.clone()).catch(() => {}))
  return response
}

const cacheAsset = async (request: Request, response: Response) =>
  (await caches.open(ASSET_CACHE)).put(request, response)

/** Returns a cached response; undefined if there is none, or if the storage of the browser fails. */
async function findCached(cacheName: string, request: Request | string): Promise<Response | undefined> {
  try {
    return await (await caches.open(cacheName)).match(request)
  } catch {
    return undefined
  }
}

async function servePage(event: FetchEvent): Promise<Response> {
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request))
    // Proxies respond with 502 or higher while the server behind them is down.
    if (response.status >= 502) return (await findCached(PAGE_CACHE, PAGE)) ?? response
    event.waitUntil(cachePage(response.clone()).catch(() => {}))
    return response
  } catch (error) {
    const known = await findCached(PAGE_CACHE, PAGE)
    if (known === undefined) throw error
    return known
  }
}

/** Caches a page of the client. A redirect means that the session has ended, so it deletes the cached page. */
async function cachePage(response: Response): Promise<void> {
  if (response.type === 'opaqueredirect') return void (await caches.delete(PAGE_CACHE))
  if (!response.ok || userOf(await response.clone().text()) === null) return
  await (await caches.open(PAGE_CACHE)).put(PAGE, response)
}

const userOf = (html: string): number | null => {
  const id = /<meta name="user-id" content="(\d+)">/.exec(html)?.[1]
  return id === undefined ? null : Number(id)
}

/** Caches the files of a page that was loaded, and removes the files of earlier builds. */
export async function cacheFiles({ userId, assets }: CacheRequest): Promise<void> {
  const cache = await caches.open(ASSET_CACHE)
  const known = new Set((await cache.keys()).map(({ url }) => url))
  const wanted = new Set(assets)
  await Promise.all([...known].filter((url) => !wanted.has(url)).map((url) => cache.delete(url)))
  // The browser takes these files from its HTTP cache.
  await cache.addAll([...wanted].filter((url) => !known.has(url)))
  const page = await (await caches.open(PAGE_CACHE)).match(PAGE)
  if (page === undefined || userOf(await page.text()) !== userId)
    await cachePage(await fetch(PAGE, { redirect: 'manual', headers: { accept: 'text/html' } }))
}
