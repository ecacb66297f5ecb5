import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FetchEvent, serve } from './offline-cache.ts'

/** Serves a request. Returns the response after the worker's background tasks have ended. */
async function responseTo(path: string, mode: string): Promise<Response | undefined> {
  const request = { url: `https://chat.example${path}`, method: 'GET', mode } as Partial<Request> as Request
  const background: Promise<unknown>[] = []
  let response: Promise<Response> | undefined
  serve({
    request,
    preloadResponse: Promise.resolve(undefined),
    respondWith: (given) => (response = given),
    waitUntil: (done) => background.push(done),
  } as Partial<FetchEvent> as FetchEvent)
  const served = await response
  await Promise.all(background)
  return served
}

test('pages and files come from the network when the browser cannot store anything', async (context) => {
  const fails = () => Promise.reject(new DOMException('', 'QuotaExceededError'))
  const page = '<meta name="user-id" content="8">'
  Object.assign(globalThis, { location: new URL('https://chat.example/sw.js') })
  context.mock.method(globalThis, 'fetch', async () => new Response(page))
  for (const open of [
    fails,
    async () => ({ match: fails, put: fails }),
    async () => ({ async match() {}, put: fails }),
  ]) {
    Object.defineProperty(globalThis, 'caches', { value: { open }, configurable: true })
    assert.equal(await (await responseTo('/assets/main-1.js', 'cors'))?.text(), page)
    assert.equal(await (await responseTo('/channels/1', 'navigate'))?.text(), page)
  }
})

test('the cached page replaces the errors of proxies, but neither those of calls nor the redirects to them', async (context) => {
  const deleted: string[] = []
  const cached = { match: async () => new Response('cached') }
  const caches = { open: async () => cached, delete: async (name: string) => deleted.push(name) }
  Object.assign(globalThis, { location: new URL('https://chat.example/sw.js') })
  Object.defineProperty(globalThis, 'caches', { value: caches, configurable: true })
  context.mock.method(globalThis, 'fetch', async () => new Response('down', { status: 502 }))

  assert.equal(await (await responseTo('/channels/1', 'navigate'))?.text(), 'cached')
  // The browser loads the page itself.
  assert.equal(await responseTo('/calls/bigbluebutton/join?bigbluebutton=x', 'navigate'), undefined)
  assert.deepEqual(deleted, [])
})
