import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '#app.ts'
import { readSettings, type Settings } from '#config.ts'
import { namesIn } from './files.ts'
import { noResizing, picture } from './pictures.ts'
import { commandsIn } from './processes/command.ts'
import { createOrganizationIn, openAppIn, startKillableServer } from './processes/killable-server.ts'
import { temporaryFolder } from './storage.ts'
import { openFilesIn, openWire, startVersitygw, type Versitygw, versitygwAbsent } from './versitygw.ts'

// A whole server whose files are in a real S3 store, behind a connection that tests cut.

const options = { skip: versitygwAbsent || noResizing }

let started: Promise<Versitygw> | undefined
let prefixes = 0

async function prepare() {
  started ??= startVersitygw()
  const store = await started
  const wire = await openWire(store.port)
  const prefix = `server/${prefixes++}`
  const folder = await temporaryFolder()
  const environment = store.environment({ port: wire.port, prefix })
  const settings: Partial<Settings> = Object.fromEntries(
    Object.entries(readSettings(environment)).filter(([name]) => name in environment),
  )
  const authorization = await createOrganizationIn(folder)
  return { store, wire, folder, settings, authorization, objects: join(store.bucketFolder, prefix) }
}

async function callerOf(app: App, authorization: string) {
  const { port } = await app.http.listen({ host: '127.0.0.1', port: 0 })
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`http://localhost:${port}${path}`, { ...init, headers: { authorization, ...init.headers } })
  const send = async (path: string, bytes: Uint8Array | string, name: string) => {
    const body = new FormData()
    body.append('file', new Blob([bytes as BlobPart]), name)
    const response = await call(`/api/v1${path}`, { method: 'POST', body })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, string>,
    }
  }
  return { call, send }
}

/** Repeats the request while it is refused: the server leaves a store that was away alone for two seconds. */
async function onceBack<Result extends { status: number }>(request: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const result = await request()
    if (result.status !== 503) return result
    await sleep(100)
  }
}

test('uploads and pictures are stored in S3, and served with ranges, until they are deleted', options, async () => {
  const { folder, settings, authorization, objects } = await prepare()
  await using app = await openAppIn(folder, {}, settings)
  const { call, send } = await callerOf(app, authorization)
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 251))
  const photo = await picture(900, 600)

  const {
    body: { url = '' },
  } = await send('/user_uploads', bytes, 'a.bin')
  const image = await send('/user_uploads', photo, 'b.png')
  const avatar = await send('/users/me/avatar', photo, 'me.png')
  const emoji = await send('/realm/emoji/wave', photo, 'wave.png')
  const whole = Buffer.from(await (await call(url)).arrayBuffer())
  const part = await call(url, { headers: { range: 'bytes=250-255' } })
  const partBytes = Buffer.from(await part.arrayBuffer())
  const thumbnail = await call(
    `/user_uploads/thumbnail${image.body['url']?.slice('/user_uploads'.length)}/840x560.webp`,
  )
  const shown = await call(String(avatar.body['avatar_url']))
  const stored = await namesIn(objects)
  const { attachments } = (await (await call('/api/v1/attachments')).json()) as { attachments: { id: number }[] }
  for (const { id } of attachments) await call(`/api/v1/attachments/${id}`, { method: 'DELETE' })

  assert.deepEqual(whole, bytes)
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 250-255/700000'])
  assert.deepEqual(partBytes, bytes.subarray(250, 256))
  assert.deepEqual([thumbnail.status, thumbnail.headers.get('content-type')], [200, 'image/webp'])
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/png'])
  assert.equal(emoji.status, 200)
  const kinds = new Set(stored.map((name) => name.split('/')[0]))
  assert.deepEqual([...kinds].sort(), ['avatars', 'emoji', 'folder-id', 'thumbnails', 'uploads'])
  assert.deepEqual(
    (await namesIn(objects)).filter((name) => /^(uploads|thumbnails)/.test(name)),
    [],
  )
  assert.deepEqual(
    (await namesIn(folder)).filter((name) => /^(uploads|avatars|unsent)/.test(name)),
    [],
  )
})

test(
  'while the store is away, uploads are refused in words and all else goes on, until it is back',
  options,
  async () => {
    const { folder, settings, authorization, wire, objects } = await prepare()
    await using app = await openAppIn(folder, {}, settings)
    const { call, send } = await callerOf(app, authorization)
    const {
      body: { url = '' },
    } = await send('/user_uploads', 'kept', 'a.txt')
    const avatar = await send('/users/me/avatar', await picture(100, 100), 'me.png')

    wire.behave('cut')
    const refused = await send('/user_uploads', 'lost', 'b.txt')
    const unread = await call(url)
    const opened = await call(url, { headers: { accept: 'text/html,*/*' } })
    const page = await opened.text()
    const unseen = await call(String(avatar.body['avatar_url']))
    const sent = await call('/api/v1/messages', {
      method: 'POST',
      body: new URLSearchParams({ type: 'direct', to: '["ada@example.com"]', content: `[a.txt](${url})` }),
    })
    const health = await call('/health')
    const state = await health.text()
    wire.behave('well')
    const later = await onceBack(() => send('/user_uploads', 'kept', 'c.txt'))

    assert.deepEqual(
      [refused.status, refused.body['code'], refused.body['msg'], refused.headers.get('retry-after')],
      [503, 'SERVICE_UNAVAILABLE', 'The server cannot reach its file storage. Try again in a minute.', '10'],
    )
    assert.deepEqual([unread.status, unseen.status, sent.status, health.status], [503, 503, 200, 200])
    assert.equal(opened.status, 503)
    assert.match(page, /<h1>The file cannot be opened now<\/h1>/)
    assert.match(state, /^ok\n[\s\S]*\nThe file store has been failing since /)
    assert.equal(later.status, 200)
    assert.equal(await (await call(url)).text(), 'kept')
    assert.equal((await namesIn(objects)).filter((name) => name.startsWith('uploads')).length, 2)
    assert.doesNotMatch(await (await call('/health')).text(), /file store/)
  },
)

test('a server starts while its store is away, and uses it once it is there', options, async () => {
  const { folder, settings, authorization, wire } = await prepare()

  wire.behave('cut')
  await using app = await openAppIn(folder, {}, settings)
  const { call, send } = await callerOf(app, authorization)
  const refused = await send('/user_uploads', 'lost', 'a.txt')
  const messages = await call('/api/v1/messages?anchor=newest&num_before=5&num_after=0')
  wire.behave('well')
  const later = await onceBack(() => send('/user_uploads', 'kept', 'a.txt'))

  assert.deepEqual([refused.status, messages.status, later.status], [503, 200, 200])
})

test('a server with wrong keys, a wrong bucket or a wrong store does not start, and says why', options, async () => {
  const { folder, settings, store } = await prepare()
  const reasonWith = async (changes: Partial<Settings>) => {
    try {
      await using _ = await openAppIn(folder, {}, { ...settings, ...changes })
      return 'started'
    } catch (error) {
      return (error as Error).message
    }
  }
  const other = await prepare()
  await (await openAppIn(other.folder, {}, other.settings)).close()

  assert.match(
    await reasonWith({ AWS_ACCESS_KEY_ID: 'unknown' }),
    /does not know the access key. Check AWS_ACCESS_KEY_ID/,
  )
  assert.match(await reasonWith({ AWS_SECRET_ACCESS_KEY: 'wrong' }), /Check AWS_SECRET_ACCESS_KEY/)
  assert.match(await reasonWith({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }), /no keys for S3. Set AWS_ACCESS/)
  assert.match(await reasonWith({ AWS_REGION: 'eu-central-1' }), /region/)
  const { FILES_URL } = readSettings(store.environment({ bucket: 'no-such-bucket' }))
  assert.match(await reasonWith({ FILES_URL }), /There is no bucket no-such-bucket at http.*Create it/)
  assert.match(
    await reasonWith({ FILES_URL: String(other.settings.FILES_URL) }),
    /s3:\/\/parley-files\/server\/\d+ contains the files of another database/,
  )
  const inFile = join(folder, 'no folder')
  await writeFile(inFile, '')
  const unusable = { DATA_DIR: join(inFile, 'data'), SECRET_KEY: 'known'.repeat(12) }
  assert.match(await reasonWith(unusable), /cannot write to DATA_DIR, .*no folder\/data \(ENOTDIR\)/)
  assert.equal(await reasonWith({}), 'started')
})

test(
  'files are copied to S3 and back while the server runs, and a server without its files does not start',
  options,
  async () => {
    const { folder, settings, authorization } = await prepare()
    const commands = commandsIn(folder, settings as Record<string, string>)
    const upload = async (others: Partial<Settings>, text: string) => {
      await using app = await openAppIn(folder, {}, others)
      const { send } = await callerOf(app, authorization)
      return (await send('/user_uploads', text, 'a.txt')).body['url'] ?? ''
    }
    const read = async (others: Partial<Settings>, urls: string[]) => {
      await using app = await openAppIn(folder, {}, others)
      const { call } = await callerOf(app, authorization)
      return await Promise.all(urls.map(async (url) => (await call(url)).text()))
    }

    const first = await upload({}, 'first')
    const tooEarly = await openAppIn(folder, {}, settings).catch((error: Error) => error.message)
    const planned = await commands.json('files', 'copy', 'DATA_DIR', 'FILES_URL', '--dry-run')
    const copied = await commands.json('files', 'copy', 'DATA_DIR', 'FILES_URL')
    const second = await upload({}, 'second')
    const again = await commands.json('files', 'copy', 'DATA_DIR', 'FILES_URL', '--checksum')
    const third = await upload(settings, 'third')
    const checked = await commands.run('files', 'check', '--json')
    const back = await commands.json('files', 'copy', 'FILES_URL', 'DATA_DIR')
    const texts = await read({}, [first, second, third])
    const other = await prepare()
    await (await openAppIn(other.folder, {}, other.settings)).close()
    const mixed = await commands.run('files', 'copy', 'FILES_URL', String(other.settings.FILES_URL))
    const absent = await commands.run('files', 'copy', '/nowhere', 'FILES_URL')

    assert.match(String(tooEarly), /has none of the files of this database. .*parley.* files copy DATA_DIR FILES_URL/)
    assert.partialDeepStrictEqual(planned, { copied: 1, bytes: 5, skipped: 0, dry_run: true })
    assert.partialDeepStrictEqual(copied, { copied: 1, skipped: 0, dry_run: false })
    assert.partialDeepStrictEqual(again, { copied: 1, bytes: 6, skipped: 1 })
    assert.deepEqual([checked.code, JSON.parse(checked.output)], [0, []])
    assert.partialDeepStrictEqual(back, { copied: 1, skipped: 2 })
    assert.deepEqual(texts, ['first', 'second', 'third'])
    assert.match(mixed.complaint, /contains the files of another database/)
    assert.match(absent.complaint, /There is no folder \/nowhere/)
  },
)

test('with FILES_REDIRECT, permitted readers are sent to the store for a while', options, async () => {
  const { folder, settings, authorization } = await prepare()
  await using app = await openAppIn(folder, {}, { ...settings, FILES_REDIRECT: true })
  const { call, send } = await callerOf(app, authorization)
  const { url = '' } = (await send('/user_uploads', 'the bytes', 'ünï.txt')).body

  const direct = await call(url, { redirect: 'manual' })
  const visitor = await call(url, { redirect: 'manual', headers: { authorization: '', accept: 'text/html' } })
  const location = new URL(direct.headers.get('location') ?? '')
  const followed = await fetch(location, { headers: { range: 'bytes=4-8' } })
  const head = await call(url, { method: 'HEAD', redirect: 'manual' })
  location.searchParams.set('response-content-type', 'text/html')
  const forged = await fetch(location)

  assert.deepEqual([direct.status, direct.headers.get('cache-control')], [302, 'private, no-cache'])
  assert.ok(visitor.headers.get('location')?.includes('Signature') !== true)
  assert.deepEqual([followed.status, await followed.text()], [206, 'bytes'])
  assert.equal(followed.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(String(followed.headers.get('content-disposition')), /^inline; .*filename\*=UTF-8''%C3%BCn%C3%AF.txt$/)
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '9'])
  assert.equal(forged.status, 403)
})

test('a server that is killed during an upload leaves no file, and its remains can be deleted', options, async () => {
  const { folder, settings, authorization, objects } = await prepare()
  const mebibyte = 1024 ** 2
  const given = { ...(settings as Record<string, string>), MAX_FILE_UPLOAD_SIZE_MIB: '64', LOG_LEVEL: 'silent' }
  const server = await startKillableServer(folder, given)
  const files = await openFilesIn(given, await temporaryFolder())
  const listed = () => Readable.from(files.list('uploads')).toArray()

  const boundary = 'a-boundary'
  const request = requestHttp(`${server.url}/api/v1/user_uploads`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': 50 * mebibyte,
    },
  }).on('error', () => {})
  request.write(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`)
  request.write(Buffer.alloc(34 * mebibyte, 7))
  while ((await listed()).length === 0) await sleep(50)
  await server.kill()
  const left = await listed()
  for (const name of left) await files.delete(name)

  assert.match(left.join(), /^uploads\/.*\.upload-[\w-]+~$/)
  assert.deepEqual(await listed(), [])
  assert.deepEqual(
    (await namesIn(objects)).filter((name) => name.startsWith('uploads')),
    [],
  )
  assert.deepEqual(
    (await namesIn(folder)).filter((name) => name.startsWith('unsent')),
    [],
  )
  await using app = await openAppIn(folder, {}, settings)
  const { send } = await callerOf(app, authorization)
  assert.equal((await send('/user_uploads', 'the bytes', 'a.txt')).status, 200)
})
