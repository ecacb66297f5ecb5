import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { fetchPage, upload } from '../../../test/files.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { addToChannel, leaveChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'

const statusFor = async (chat: Chat, url: string, person: Person | null) => (await fetchPage(chat, url, person)).status

const notFound = { result: 'error', msg: 'This file does not exist or has been deleted.', code: 'NOT_FOUND' }

test('only the owner can read a file until a message links to it', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.channel('design', [ben])
  const url = await upload(chat, ben)

  const before = await fetchPage(chat, url, cleo)
  const missing = await fetchPage(chat, url.replace(/[^/]+$/, 'other.txt'), cleo)
  const asAdministrator = await statusFor(chat, url, ada)
  await sendToChannel(ben, { name: 'design' }, `See [this](${url})`)

  assert.deepEqual([before.status, JSON.parse(before.body)], [404, notFound])
  assert.deepEqual(missing, { ...before, headers: missing.headers })
  assert.equal(asAdministrator, 404)
  assert.equal(await statusFor(chat, url, cleo), 200)
})

test('users who may read a message may read its files, as long as they may read the message', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const gus = await chat.user('gus', { role: Role.guest })
  const dora = await chat.user('dora')
  const secret = await chat.channel('secret', [ben, cleo], { isPrivate: true, isHistoryShared: true })
  const url = await upload(chat, ben)
  await sendToChannel(ben, secret, url)

  assert.deepEqual([await statusFor(chat, url, cleo), await statusFor(chat, url, dora)], [404, 404])
  await sendToChannel(ben, secret, `http://parley.test${url}`)
  assert.deepEqual([await statusFor(chat, url, cleo), await statusFor(chat, url, dora)], [200, 404])
  await leaveChannel(cleo, secret)
  await addToChannel(ben, secret, [gus])
  assert.deepEqual([await statusFor(chat, url, cleo), await statusFor(chat, url, gus)], [404, 200])
  await sendDirect(gus, [dora], `[look](${url})`)
  assert.equal(await statusFor(chat, url, dora), 200)
})

test('linking to an inaccessible file does not give access to it', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const eve = await chat.user('eve')
  const url = await upload(chat, ben)

  await sendDirect(eve, [eve], `[mine](${url})`)

  assert.equal(await statusFor(chat, url, eve), 404)
})

test('editing or deleting a message removes access to its files', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const [first, second] = [await upload(chat, ben), await upload(chat, ben)]
  const id = await sendDirect(ben, [cleo], `[a](${first})`)

  await ben.succeed(`PATCH /messages/${id}`, { content: `[b](${second})` })
  const afterEdit = [await statusFor(chat, first, cleo), await statusFor(chat, second, cleo)]
  await chat.app.services.transaction((tx) => tx.deleteFrom('messages').where('id', '=', id).execute())
  const afterDeletion = [await statusFor(chat, first, cleo), await statusFor(chat, second, cleo)]

  assert.deepEqual(afterEdit, [404, 200])
  assert.deepEqual(afterDeletion, [404, 404])
})

test('users of other organizations cannot find a file', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await chat.channel('design', [ben])
  const url = await upload(chat, ben)
  await sendToChannel(ben, { name: 'design' }, `[a](${url})`)
  const elsewhere = await chat.organization('elsewhere')
  const dan = await chat.user('dan', { realm: elsewhere })

  assert.equal(await statusFor(chat, url, dan), 404)
})

test('visitors can read files in web-public channels if the organization allows it, and learn of no others', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const open = await chat.channel('open', [ben], { isWebPublic: true })
  const closed = await chat.channel('closed', [ben])
  const [shown, hidden] = [await upload(chat, ben), await upload(chat, ben)]
  await sendToChannel(ben, open, `[a](${shown})`)
  await sendToChannel(ben, closed, `[b](${hidden})`)

  const before = await fetchPage(chat, shown, null)
  await chat.change({ enable_spectator_access: true })

  assert.deepEqual([before.status, JSON.parse(before.body).code], [401, 'UNAUTHORIZED'])
  assert.match(String(before.headers['www-authenticate']), /^Session /)
  assert.equal(await statusFor(chat, shown, null), 200)
  assert.equal(await statusFor(chat, hidden, null), 401)
  assert.equal(await statusFor(chat, `${shown}x`, null), 401)
})

test('the number of reads without an account is limited', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ben = await chat.user('ben')
  await chat.change({ enable_spectator_access: true })
  const open = await chat.channel('open', [ben], { isWebPublic: true })
  const url = await upload(chat, ben)
  await sendToChannel(ben, open, `[a](${url})`)

  for (let times = 0; times < 1000; times += 1) assert.equal(await statusFor(chat, url, null), 200)
  const refused = await fetchPage(chat, url, null)

  assert.equal(refused.status, 429)
  assert.equal(await statusFor(chat, url, ben), 200)
})

test('the number of files that a network reads without an account is limited', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ben = await chat.user('ben')
  await chat.change({ enable_spectator_access: true })
  const open = await chat.channel('open', [ben], { isWebPublic: true })
  const [one, other] = [await upload(chat, ben), await upload(chat, ben)]
  await sendToChannel(ben, open, `[a](${one}) [b](${other})`)

  for (let times = 0; times < 500; times += 1)
    for (const url of [one, other]) assert.equal(await statusFor(chat, url, null), 200)

  assert.equal(await statusFor(chat, one, null), 429)
  await chat.clock.advance(60)
  assert.equal(await statusFor(chat, one, null), 200)
})

test('reading a file counts against the rate limit', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 3]] } })
  const ben = await chat.user('ben')
  const url = await upload(chat, ben)

  const responses = [await fetchPage(chat, url, ben), await fetchPage(chat, url, ben), await fetchPage(chat, url, ben)]

  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 429],
  )
  assert.equal(responses[2]?.headers['retry-after'], '60')
})

for (const [name, type, disposition] of [
  ['a.PNG', 'image/png', 'inline'],
  ['a.txt', 'text/plain; charset=utf-8', 'inline'],
  ['a.pdf', 'application/pdf', 'inline'],
  ['a.html', 'application/octet-stream', 'attachment'],
  ['a.svg', 'application/octet-stream', 'attachment'],
  ['a.xml', 'application/octet-stream', 'attachment'],
  ['a', 'application/octet-stream', 'attachment'],
  ['png', 'application/octet-stream', 'attachment'],
] as const) {
  test(`the file ${name} is served as ${type}, ${disposition}`, async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    const url = await upload(chat, ben, { name, bytes: '<script>alert(1)</script>' })

    const { headers } = await fetchPage(chat, url, ben)
    const download = await fetchPage(chat, url.replace('/user_uploads/', '/user_uploads/download/'), ben)

    assert.equal(headers['content-type'], type)
    assert.equal(headers['content-disposition'], `${disposition}; filename="${name}"; filename*=UTF-8''${name}`)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cache-control'], 'private, no-cache')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['content-security-policy']), /^default-src 'none';/)
    assert.equal(String(headers['content-security-policy']).endsWith('; sandbox'), name !== 'a.pdf')
    assert.match(String(download.headers['content-disposition']), /^attachment; /)
  })
}

test('a download keeps the file name in any script', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben, { name: "O'Neill, Übersicht 100%.zip", bytes: 'x' })

  const { headers } = await fetchPage(chat, encodeURI(url), ben)

  assert.equal(
    headers['content-disposition'],
    `attachment; filename="O'Neill, _bersicht 100_.zip"; filename*=UTF-8''O%27Neill%2C%20%C3%9Cbersicht%20100%25.zip`,
  )
})

test('a download with a long file name keeps as much of it as file systems allow, and its extension', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben, { name: `${'報'.repeat(240)}.zip`, bytes: 'x' })

  const { headers } = await fetchPage(chat, encodeURI(url), ben)
  const [, encoded = ''] = String(headers['content-disposition']).split("filename*=UTF-8''")

  assert.equal(decodeURIComponent(encoded), `${'報'.repeat(78)}.zip`)
})

test('range requests and conditional requests are supported', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben, { bytes: 'hello world' })
  const etag = String((await fetchPage(chat, url, ben)).headers['etag'])

  const part = await fetchPage(chat, url, ben, { range: 'bytes=6-' })
  const stale = await fetchPage(chat, url, ben, { range: 'bytes=6-', 'if-range': '"other"' })
  const beyond = await fetchPage(chat, url, ben, { range: 'bytes=11-' })
  const known = await fetchPage(chat, url, ben, { 'if-none-match': `"x", ${etag}` })

  assert.deepEqual([part.status, part.body], [206, 'world'])
  assert.partialDeepStrictEqual(part.headers, { 'content-range': 'bytes 6-10/11', 'content-length': '5', etag })
  assert.deepEqual([stale.status, stale.body], [200, 'hello world'])
  assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, 'bytes */11'])
  assert.deepEqual([known.status, known.body], [304, ''])
})

test('a temporary URL opens a file for a minute without credentials', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const url = await upload(chat, ben, { name: 'a ü.txt', bytes: 'hello' })

  const { url: temporary } = await ben.succeed(`GET ${encodeURI(url)}`)
  const refused = await cleo.call(`GET ${encodeURI(url)}`)
  const opened = await fetchPage(chat, encodeURI(temporary), null)
  await chat.clock.advance(61)
  const late = await fetchPage(chat, encodeURI(temporary), null)

  assert.match(temporary, /^\/user_uploads\/temporary\/[A-Za-z0-9_.-]+\/a-ü\.txt$/)
  assert.deepEqual(refused, { status: 404, ...notFound })
  assert.deepEqual([opened.status, opened.body], [200, 'hello'])
  assert.deepEqual([late.status, JSON.parse(late.body).msg], [400, 'Invalid token'])
})

test('a temporary URL cannot be forged or changed to another file', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben)
  const { url: temporary } = await ben.succeed(`GET ${url}`)
  const token = temporary.split('/')[3]
  const responseTo = async (path: string) => JSON.parse((await fetchPage(chat, path, null)).body).msg

  const forged = `${Buffer.from(`99999999999 ${url.slice(14)}`).toString('base64url')}.${token.split('.')[1]}`

  assert.equal(await responseTo(`/user_uploads/temporary/${forged}/note.txt`), 'Invalid token')
  assert.equal(await responseTo(`/user_uploads/temporary/${token}x/note.txt`), 'Invalid token')
  assert.equal(await responseTo('/user_uploads/temporary/x/note.txt'), 'Invalid token')
  assert.equal(await responseTo(`/user_uploads/temporary/${token}/note.html`), 'Invalid filename')
  assert.equal(await responseTo(`/user_uploads/temporary/${token}/%ff`), 'Invalid filename')
})

test('a file that is missing on disk is not found', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const url = await upload(chat, ben)

  await chat.app.services.files.delete(url.slice('/user_'.length, url.lastIndexOf('/')))

  assert.equal(await statusFor(chat, url, ben), 404)
})

test('no path below user_uploads leads out of the folder', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  for (const path of [
    '/user_uploads/',
    '/user_uploads/../../etc/passwd',
    '/user_uploads/1/..%2f..%2f..%2fsecret/x/y',
    '/user_uploads/1/ab/%2e%2e/secret',
    '/user_uploads/temporary/x',
    '/user_uploads/%00',
    '/user_uploads/thumbnail/x',
    `/user_uploads/1/ab/${'x'.repeat(24)}/%E0%A4%A`,
  ])
    assert.ok([400, 404].includes(await statusFor(chat, path, ben)), path)
})
