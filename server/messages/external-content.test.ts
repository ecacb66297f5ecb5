import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { externalContentPath } from '#lib/external-content-address.ts'
import { fetchMedia } from '#lib/guarded-fetch.ts'
import { openFileStore } from '#storage/files.ts'
import { fetchPage, storedFiles } from '../../test/files.ts'
import { type Chat, type StartOptions, startChat } from '../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../test/messages.ts'
import { announcedPicture, movingPicture, noResizing, smallPng } from '../../test/pictures.ts'
import { startWebhookReceiver } from '../../test/webhook-receiver.ts'

const CAT = 'https://example.com/cat.png'
const MP4 = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42'), Buffer.alloc(200, 7)])

/** Starts a server for which these sites exist. Returns the addresses that it requests, and a gate for requests. */
async function startWithSites(
  sites: Readonly<Record<string, Buffer | null | 'unreachable'>>,
  options: StartOptions = {},
) {
  const requested: string[] = []
  const gate = { opened: Promise.resolve() }
  const chat = await startChat({
    ...options,
    async fetchMedia(url) {
      requested.push(url)
      await gate.opened
      return sites[url] ?? null
    },
  })
  return { chat, requested, gate }
}

const pathOf = ({ app }: Chat, url: string) =>
  externalContentPath({ secret: app.services.secret, privateHosts: [] }, url) ?? assert.fail(url)
const fetchContent = (chat: Chat, url: string, headers: Record<string, string> = {}) =>
  fetchPage(chat, pathOf(chat, url), null, headers)

test('a picture of another site is fetched once, kept, and served so that browsers never run it', async () => {
  const { chat, requested } = await startWithSites({ [CAT]: smallPng })

  const first = await fetchContent(chat, CAT)
  const second = await fetchContent(chat, CAT)
  const unchanged = await fetchContent(chat, CAT, { 'if-none-match': String(first.headers.etag) })

  assert.deepEqual([first.status, second.status, unchanged.status], [200, 200, 304])
  assert.deepEqual([first.bytes, second.bytes], [smallPng, smallPng])
  assert.deepEqual(requested, [CAT])
  const { headers } = first
  assert.equal(headers['content-type'], 'image/png')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-disposition'], 'inline; filename="image.png"')
  assert.match(String(headers['content-security-policy']), /^default-src 'none';.*; sandbox$/)
  assert.match(String(headers['cache-control']), /^private, /)
})

test('the picture in a message has an address at which it is served', async () => {
  const { chat } = await startWithSites({ [CAT]: smallPng })
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])

  const { content } = await fetchMessage(ada, await sendToChannel(ada, design, CAT))
  const [, src = ''] = /<img src="([^"]*)">/.exec(content) ?? []

  assert.equal(content, `<div class="message_inline_image"><a href="${CAT}"><img src="${src}"></a></div>`)
  assert.deepEqual((await fetchPage(chat, src, null)).bytes, smallPng)
  // Code is highlighted in a thread, which signs the address itself.
  const highlighted = await fetchMessage(ada, await sendToChannel(ada, design, `\`\`\`js\n1\n\`\`\`\n${CAT}`))
  assert.ok(highlighted.content.endsWith(`<img src="${src}"></a></div>`), highlighted.content)
})

test('unsigned, wrongly signed and foreign addresses are refused alike, and nothing is requested', async () => {
  const { chat, requested } = await startWithSites({ [CAT]: smallPng })
  const path = pathOf(chat, CAT)
  const hex = Buffer.from(CAT).toString('hex')
  const responses = await Promise.all(
    [
      `/external_content/${'0'.repeat(40)}/${hex}`,
      path.replace(/[0-9a-f]+$/, Buffer.from('http://127.0.0.1/').toString('hex')),
      `/external_content/${hex}`,
      '/external_content/',
      `${path}00`,
    ].map((wrong) => fetchPage(chat, wrong, null)),
  )

  const [first] = responses
  for (const { status, body } of responses) assert.deepEqual([status, body], [404, first?.body])
  assert.deepEqual(requested, [])
})

test('the content decides about the type, and only pictures and videos that browsers show are served', async () => {
  const sites: Record<string, Buffer> = {
    'https://example.com/a.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    'https://example.com/b.png': Buffer.from('<html><script>alert(1)</script>'),
    'https://example.com/c.png': Buffer.from(''),
    'https://example.com/d.png': Buffer.concat([Buffer.from('\0\0\0\x18ftypavif'), Buffer.alloc(200)]),
    'https://example.com/e.png': Buffer.from('%PDF-1.4'),
  }
  const shown: Record<string, Buffer> = {
    'https://example.com/moving': movingPicture,
    'https://example.com/clip.txt': MP4,
    'https://example.com/clip.webm': Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(50)]),
  }
  const { chat } = await startWithSites({ ...sites, ...shown })

  for (const url of Object.keys(sites)) assert.equal((await fetchContent(chat, url)).status, 404, url)
  const types = []
  for (const url of Object.keys(shown)) types.push((await fetchContent(chat, url)).headers['content-type'])
  assert.deepEqual(types, ['image/gif', 'video/mp4', 'video/webm'])
})

test('damaged pictures and those with too many pixels are not served', { skip: noResizing }, async () => {
  const { chat } = await startWithSites({
    'https://example.com/bomb.png': announcedPicture(60_000, 60_000),
    'https://example.com/cut.png': smallPng.subarray(0, 20),
  })

  for (const url of ['https://example.com/bomb.png', 'https://example.com/cut.png'])
    assert.equal((await fetchContent(chat, url)).status, 404, url)
  assert.deepEqual(await storedFiles(chat, 'external_content'), [])
})

test('a part of a video can be requested', async () => {
  const { chat } = await startWithSites({ [CAT]: MP4 })

  const part = await fetchContent(chat, CAT, { range: 'bytes=4-7' })

  assert.deepEqual([part.status, part.body], [206, 'ftyp'])
})

test('concurrent requests for a picture share one request to its site', async () => {
  const { chat, requested, gate } = await startWithSites({ [CAT]: smallPng })
  const opening = Promise.withResolvers<void>()
  gate.opened = opening.promise

  const responses = Array.from({ length: 20 }, () => fetchContent(chat, CAT))
  while (requested.length === 0) await new Promise((wait) => setImmediate(wait))
  opening.resolve()

  for (const { status } of await Promise.all(responses)) assert.equal(status, 200)
  assert.deepEqual(requested, [CAT])
})

test('failures are remembered: five minutes for a site that is down, an hour for one without the picture', async () => {
  const down = 'https://down.example.com/cat.png'
  const { chat, requested } = await startWithSites({ [down]: 'unreachable' })
  const requestBoth = async () => {
    for (const url of [down, CAT]) assert.equal((await fetchContent(chat, url)).status, 404)
    return requested.splice(0)
  }

  assert.deepEqual(await requestBoth(), [down, CAT])
  assert.deepEqual(await requestBoth(), [])
  await chat.clock.advance(301)
  assert.deepEqual(await requestBoth(), [down])
  await chat.clock.advance(3300)
  assert.deepEqual(await requestBoth(), [down, CAT])
})

test('no caller has more than three requests to other sites at a time, and all together eight', async () => {
  const { chat, requested, gate } = await startWithSites({}, { settings: { RATE_LIMITING: true } })
  const opening = Promise.withResolvers<void>()
  gate.opened = opening.promise
  const people = await Promise.all(['ada', 'ben', 'cleo'].map((name) => chat.user(name)))
  const responses = people.flatMap((person) =>
    [1, 2, 3, 4].map((number) =>
      fetchPage(chat, pathOf(chat, `https://${person.id}.example.com/${number}.png`), person),
    ),
  )

  while (requested.length < 8) await new Promise((wait) => setImmediate(wait))
  for (let turn = 0; turn < 20; turn++) await new Promise((wait) => setImmediate(wait))
  const counts = Map.groupBy(requested, (url) => new URL(url).host)

  assert.equal(requested.length, 8)
  assert.deepEqual([...counts.values()].map(({ length }) => length).toSorted(), [2, 3, 3])
  opening.resolve()
  await Promise.all(responses)
  assert.equal(requested.length, 12)
})

test('callers with too many requests are refused before their picture is fetched, with and without an account', async () => {
  const { chat, requested } = await startWithSites({ [CAT]: smallPng }, { settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const statusesOf = async (person: typeof ada | null) => {
    const statuses: number[] = []
    for (let number = 0; number < 125; number++) {
      const url = `https://example.com/${person?.id}/${number}.png`
      statuses.push((await fetchPage(chat, pathOf(chat, url), person)).status)
    }
    return statuses
  }

  for (const person of [null, ada]) {
    const statuses = await statusesOf(person)
    assert.deepEqual([statuses[119], statuses[120], statuses[124]], [404, 429, 429])
  }
  assert.equal(requested.length, 240)
  await chat.clock.advance(60)
  assert.equal((await fetchContent(chat, CAT)).status, 200)
})

test('stored pictures cost no request to another site, and are served to callers who may cause no more', async () => {
  const { chat, requested } = await startWithSites({ [CAT]: smallPng }, { settings: { RATE_LIMITING: true } })
  await fetchContent(chat, CAT)
  for (let number = 0; number < 125; number++) await fetchContent(chat, `https://example.com/${number}.png`)
  requested.splice(0)

  assert.equal((await fetchContent(chat, CAT)).status, 200)
  assert.deepEqual(requested, [])
})

test('a picture is kept for one to two weeks, and survives a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-content-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const settings = { SECRET_KEY: 'x'.repeat(32) }
  const before = await startWithSites({ [CAT]: smallPng }, { settings, files: openFileStore(folder) })
  await fetchContent(before.chat, CAT)
  await before.chat.app.close()

  const { chat, requested } = await startWithSites({ [CAT]: smallPng }, { settings, files: openFileStore(folder) })
  await fetchContent(chat, CAT)
  await chat.clock.advance(7 * 86_400)
  await fetchContent(chat, CAT)
  assert.deepEqual(requested, [])
  await chat.clock.advance(7 * 86_400)
  await chat.app.jobs.externalContent.settled()
  assert.deepEqual(await storedFiles(chat, 'external_content'), [])
  await fetchContent(chat, CAT)
  assert.deepEqual(requested, [CAT])
})

test('a full cache loses its oldest pictures', async () => {
  const large = (fill: number) => Buffer.concat([MP4, Buffer.alloc(4 * 1024 * 1024, fill)])
  const urls = [1, 2, 3, 4, 5, 6].map((number) => `https://example.com/${number}.mp4`)
  const sites = Object.fromEntries(urls.map((url, at) => [url, large(at)]))
  const { chat, requested } = await startWithSites(sites, { settings: { EXTERNAL_CONTENT_CACHE_MIB: 16 } })
  const [first = '', ...others] = urls

  await fetchContent(chat, first)
  await chat.clock.advance(7 * 86_400)
  for (const url of others) await fetchContent(chat, url)
  await chat.app.jobs.externalContent.settled()
  const { files } = chat.app.services
  const sizes = await Promise.all((await storedFiles(chat, 'external_content')).map((name) => files.findSize(name)))
  requested.splice(0)
  await fetchContent(chat, first)

  assert.ok(sizes.reduce((sum: number, size) => sum + (size ?? 0), 0) <= 16 * 1024 * 1024)
  assert.deepEqual(requested, [first])
})

test('remains of a picture that was being saved when a node was killed do not keep the cache from being emptied', async () => {
  const large = (fill: number) => Buffer.concat([MP4, Buffer.alloc(6 * 1024 * 1024, fill)])
  const urls = [1, 2, 3, 4].map((number) => `https://example.com/${number}.mp4`)
  const folder = await mkdtemp(join(tmpdir(), 'parley-content-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const { chat } = await startWithSites(Object.fromEntries(urls.map((url, at) => [url, large(at)])), {
    settings: { EXTERNAL_CONTENT_CACHE_MIB: 16 },
    files: openFileStore(folder),
  })
  await fetchContent(chat, urls[0] ?? '')
  const [stored = assert.fail()] = await storedFiles(chat, 'external_content')
  await writeFile(join(folder, `${stored}.othernode-12-0~`), 'half a picture')

  for (const url of urls.slice(1)) await fetchContent(chat, url)
  await chat.app.jobs.externalContent.settled()

  const finished = (await storedFiles(chat, 'external_content')).filter((name) => !name.endsWith('~'))
  assert.equal(finished.length, 2)
  await chat.clock.advance(15 * 86_400)
  await chat.app.jobs.externalContent.settled()
  assert.deepEqual(await storedFiles(chat, 'external_content'), [])
})

test('a picture that waits behind slow ones of one reader comes at once for another', async () => {
  const slow = [1, 2, 3].map((number) => `https://slow.example/${number}.png`)
  let open = (): void => void 0
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const requested: string[] = []
  const chat = await startChat({
    async fetchMedia(url) {
      requested.push(url)
      if (slow.includes(url)) await opened
      return smallPng
    },
  })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const as = (person: typeof ada, url: string) => fetchPage(chat, pathOf(chat, url), person)

  const waiting = [...slow, CAT].map((url) => as(ada, url))
  while (requested.length < slow.length) await new Promise((wait) => setImmediate(wait))
  const bens = await as(ben, CAT)
  open()

  assert.equal(bens.status, 200)
  assert.deepEqual(
    (await Promise.all(waiting)).map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.equal(requested.filter((url) => url === CAT).length, 1)
})

test('closing the server ends requests to other sites', async () => {
  const website = await startWebhookReceiver()
  website.behave(() => {})
  const chat = await startChat({
    fetchMedia: (_url, signal) =>
      fetchMedia(website.url, { timeLimit: 600, privateHosts: ['127.0.0.1'], signal }, () => true),
  })
  const response = fetchContent(chat, CAT).catch(() => null)
  while (website.received.length === 0) await new Promise((wait) => setImmediate(wait))

  await chat.app.jobs.externalContent.close()

  assert.equal((await response)?.status, 404)
})

test('if the operator turned it off, messages contain links, and earlier addresses lead nowhere', async () => {
  const { chat, requested } = await startWithSites({ [CAT]: smallPng })
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const path = pathOf(chat, CAT)
  chat.settings.EXTERNAL_CONTENT = false

  const { content } = await fetchMessage(ada, await sendToChannel(ada, design, CAT))

  assert.equal(content, `<p><a href="${CAT}">${CAT}</a></p>`)
  assert.equal((await fetchPage(chat, path, ada)).status, 404)
  assert.deepEqual(requested, [])
})

test('the log does not contain addresses of other sites', async () => {
  const { redactedPath } = await import('#http/wire/request.ts')
  const { chat } = await startWithSites({})

  assert.equal(redactedPath(pathOf(chat, CAT)), '/external_content/…')
})
