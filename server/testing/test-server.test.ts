import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { smallPng } from '../../test/pictures.ts'
import { builtServer } from '../../test/processes/built-server.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { startWebhookReceiver } from '../../test/webhook-receiver.ts'

const program = await builtServer('server/cli.ts')

const run = (...args: string[]) => spawn(process.execPath, [program, 'test-server', ...args])

/** Returns the line that a server prints when it is ready. */
const readyLine = async (server: ReturnType<typeof run>) => JSON.parse(String((await once(server.stdout, 'data'))[0]))

test('one line of JSON reports that the server is ready, and SIGTERM ends it cleanly', async () => {
  const server = run('--port', '0')
  const output = text(server.stdout)
  const [first] = await once(server.stdout, 'data')
  const ready = JSON.parse(String(first))

  server.kill('SIGTERM')

  assert.deepEqual(await once(server, 'exit'), [0, null])
  assert.deepEqual(ready, { url: `http://127.0.0.1:${ready.port}`, port: ready.port, pid: server.pid })
  assert.deepEqual((await output).split('\n').length, 2)
})

test('a port that is in use is reported in one line', async () => {
  const first = run('--port', '0')
  const { port } = await readyLine(first)

  const second = run('--port', String(port))

  const complaint = text(second.stderr)
  assert.deepEqual(await once(second, 'exit'), [1, null])
  assert.match(await complaint, /^Port \d+ is already in use\. [^\n]*\n$/)
  first.kill('SIGTERM')
  await once(first, 'exit')
})

test('a database file has its own upload folder beside it, and the data folder is not touched', async () => {
  const folder = await temporaryFolder()
  const uploads = join(folder, 'data/uploads/2/aa/some-key')
  await mkdir(uploads, { recursive: true })
  await writeFile(join(uploads, 'precious.txt'), 'of another server')
  const server = spawn(process.execPath, [program, 'test-server', '--database', 'test.db'], { cwd: folder })
  const { url } = await readyLine(server)
  const post = async (path: string, init: RequestInit) =>
    (await fetch(`${url}${path}`, { method: 'POST', ...init })).json()
  const { users } = await post('/testing/organizations', { body: '{"subdomain": ""}' })
  const authorization = `Basic ${btoa(`${users.alice.email}:${users.alice.api_key}`)}`

  const form = new FormData()
  form.append('file', new Blob(['hello']), 'hello.txt')
  await post('/api/v1/user_uploads', { headers: { authorization }, body: form })
  for (let day = 0; day < 3; day += 1) await post('/testing/clock', { body: '{"advance": 86400}' })

  server.kill('SIGTERM')
  await once(server, 'exit')
  assert.deepEqual(await readdir(uploads), ['precious.txt'])
  assert.deepEqual(await readdir(join(folder, 'data')), ['uploads'])
  assert.deepEqual(await readdir(join(folder, 'test.db.data')), ['folder-id', 'uploads'])
})

test('messages show pages and pictures of other servers on this machine', async () => {
  const website = await startWebhookReceiver()
  website.behave((response, { path }) => {
    if (path === '/tea.png') return response.writeHead(200, { 'content-type': 'image/png' }).end(smallPng)
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>Tea</title><meta property="og:image" content="/tea.png">')
  })
  const server = run('--port', '0')
  const { url } = await readyLine(server)
  const post = async (path: string, init: RequestInit) =>
    (await fetch(`${url}${path}`, { method: 'POST', ...init })).json()
  const { users } = await post('/testing/organizations', {
    body: '{"subdomain": "", "settings": {"inline_url_embed_preview": true}}',
  })
  const authorization = `Basic ${btoa(`${users.alice.email}:${users.alice.api_key}`)}`
  const call = (path: string, params: Record<string, string>) =>
    post(`/api/v1${path}`, { headers: { authorization }, body: new URLSearchParams(params) })

  const { queue_id: queue } = await call('/register', { event_types: '["update_message"]' })
  const content = `http://127.0.0.1:${website.port}/ http://127.0.0.1:${website.port}/tea.png`
  await call('/messages', { type: 'direct', to: `[${users.alice.user_id}]`, content })
  const response = await fetch(`${url}/api/v1/events?queue_id=${queue}&last_event_id=-1`, {
    headers: { authorization },
  })
  const { rendered_content: html } = ((await response.json()) as { events: { rendered_content: string }[] }).events[0]!
  const pictures = [...html.matchAll(/\/external_content\/[0-9a-f/]+/g)].map(([path]) => path)
  const types = pictures.map(async (path) => (await fetch(url + path)).headers.get('content-type'))

  assert.match(html, /title="Tea">Tea</)
  assert.deepEqual(await Promise.all(types), ['image/png', 'image/png'])
  server.kill('SIGTERM')
  await once(server, 'exit')
})
