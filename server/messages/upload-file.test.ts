import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { test } from 'node:test'
import { readSettings } from '#config.ts'
import { BotType, Role } from '#rules/role.ts'
import { type FileStore, openFileStore } from '#storage/files.ts'
import { credentials, fetchPage, filesForm, sendFiles, storedFiles, upload } from '../../test/files.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { temporaryFolder } from '../../test/storage.ts'

const MEBIBYTE = 1024 * 1024

const rows = (chat: Chat) => chat.app.services.db.selectFrom('attachments').selectAll().execute()

test('an uploaded file has an unguessable path, and its owner can read it', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const response = await sendFiles(chat, ben, '/user_uploads', { name: 'my notes.txt', bytes: 'hello' })
  const again = await upload(chat, ben, { name: 'my notes.txt', bytes: 'hello' })

  const pattern = new RegExp(`^/user_uploads/${chat.realm.id}/[0-9a-f]{2}/[A-Za-z0-9_-]{24}/my-notes\\.txt$`)
  assert.match(response['url'], pattern)
  assert.deepEqual([response.status, response['uri'], response['filename']], [200, response['url'], 'my notes.txt'])
  assert.notEqual(again, response['url'])
  assert.equal((await fetchPage(chat, response['url'], ben)).body, 'hello')
  assert.partialDeepStrictEqual((await chat.eventsOf(ben))[0], {
    type: 'attachment',
    op: 'add',
    attachment: {
      name: 'my notes.txt',
      path_id: response['url'].slice('/user_uploads/'.length),
      size: 5,
      messages: [],
    },
    upload_space_used: 5,
  })
})

test('bots can upload files and files may be empty, but incoming webhooks cannot upload', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
  const hook = await chat.user('hook', { botType: BotType.incomingWebhook, owner: ben })

  const byBot = await upload(chat, bot, { name: 'empty', bytes: '' })
  const byHook = await sendFiles(chat, hook, '/user_uploads', { bytes: 'x' })

  assert.equal((await fetchPage(chat, byBot, bot)).body, '')
  assert.equal(byHook.status, 401)
})

for (const [name, urlName, shownName] of [
  ['Ünïcode ðocument (1).pdf', 'Ünïcode-ðocument-1.pdf', 'Ünïcode ðocument (1).pdf'],
  ['../../etc/passwd', 'passwd', 'passwd'],
  ['C:\\\\docs\\\\a.doc', 'a.doc', 'a.doc'],
  ['a%20b%2Fc.txt', 'c.txt', 'c.txt'],
  ['<script>alert(1)<.html', 'scriptalert1.html', '<script>alert(1)<.html'],
  ['...', 'uploaded-file', '...'],
  ['💚', 'uploaded-file', '💚'],
  [`${'漢'.repeat(95)}.pdf`, `${'漢'.repeat(78)}.pdf`, `${'漢'.repeat(95)}.pdf`],
  [`${'n'.repeat(300)}.png`, `${'n'.repeat(96)}.png`, `${'n'.repeat(255)}`],
] as const) {
  test(`the file name ${name.slice(0, 40)} is made safe for URLs`, async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')

    const response = await sendFiles(chat, ben, '/user_uploads', { name, bytes: 'x' })

    assert.equal(response['url'].split('/').at(-1), shownName.length === 255 ? 'n'.repeat(100) : urlName)
    assert.equal(response['filename'], shownName)
    assert.equal((await fetchPage(chat, encodeURI(response['url']), ben)).status, 200)
  })
}

test('an upload must contain exactly one file', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const none = await sendFiles(chat, ben, '/user_uploads')
  const two = await sendFiles(chat, ben, '/user_uploads', { bytes: 'a' }, { bytes: 'b' })
  const noForm = await ben.call('POST /user_uploads', { file: 'x' })

  assert.equal(none.msg, 'You must specify a file to upload')
  assert.equal(two.msg, 'You may only upload one file at a time')
  assert.equal(noForm.msg, 'You must specify a file to upload')
  assert.deepEqual(await rows(chat), [])
  assert.deepEqual(await storedFiles(chat), [])
})

test('the size limit is exact', async () => {
  const chat = await startChat({ settings: { MAX_FILE_UPLOAD_SIZE_MIB: 2 } })
  const ben = await chat.user('ben')

  const largest = await sendFiles(chat, ben, '/user_uploads', { bytes: Buffer.alloc(2 * MEBIBYTE) })
  const tooLarge = await sendFiles(chat, ben, '/user_uploads', { bytes: Buffer.alloc(2 * MEBIBYTE + 1) })
  const huge = await sendFiles(chat, ben, '/user_uploads', { bytes: Buffer.alloc(4 * MEBIBYTE) })

  const msg = "File is larger than this server's configured maximum upload size (2 MiB)."
  assert.equal(largest.result, 'success')
  for (const refused of [tooLarge, huge])
    assert.deepEqual([refused.status, refused.code, refused.msg], [400, 'BAD_REQUEST', msg])
  assert.equal((await rows(chat)).length, 1)
})

test('an upload beyond the quota of the organization is refused', async () => {
  const chat = await startChat({ settings: { UPLOAD_QUOTA_MIB: 1 } })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  await upload(chat, ben, { bytes: Buffer.alloc(MEBIBYTE - 10) })

  const tooMuch = await sendFiles(chat, cleo, '/user_uploads', { bytes: 'eleven ones' })
  const fits = await sendFiles(chat, cleo, '/user_uploads', { bytes: 'ten single' })

  assert.deepEqual(
    [tooMuch.status, tooMuch.code, tooMuch.msg],
    [400, 'REALM_UPLOAD_QUOTA', "Upload would exceed your organization's upload quota."],
  )
  assert.equal(fits.result, 'success')
})

test('the daily upload limit applies to members but not to administrators', async () => {
  const chat = await startChat({ settings: { UPLOADS_PER_DAY_MIB: 1 } })
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  await upload(chat, ben, { bytes: Buffer.alloc(MEBIBYTE - 10) })
  await upload(chat, ada, { bytes: Buffer.alloc(MEBIBYTE) })

  const tooMuch = await sendFiles(chat, ben, '/user_uploads', { bytes: 'eleven ones' })
  const byAdministrator = await sendFiles(chat, ada, '/user_uploads', { bytes: 'eleven ones' })
  await chat.clock.advance(86_400)
  const nextDay = await sendFiles(chat, ben, '/user_uploads', { bytes: 'eleven ones' })

  const msg = 'You cannot upload more than 1 MiB in 24 hours. Try again later, or delete files that you uploaded.'
  assert.deepEqual([tooMuch.status, tooMuch.msg], [400, msg])
  assert.deepEqual([byAdministrator.result, nextDay.result], ['success', 'success'])
})

test('organizations have a quota by default', () => {
  assert.equal(readSettings({}).UPLOAD_QUOTA_MIB, 5120)
  assert.equal(readSettings({ UPLOAD_QUOTA_MIB: '0' }).UPLOAD_QUOTA_MIB, 0)
})

/** Sends the beginning of an upload and returns the connection. */
function beginUpload(person: Person, port: number, declaredLength: number, firstBytes: Buffer) {
  const { authorization } = credentials(person)
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /api/v1/user_uploads HTTP/1.1\r\nHost: parley.test\r\nAuthorization: ${authorization}\r\n` +
      `Content-Type: multipart/form-data; boundary=a-boundary\r\nContent-Length: ${declaredLength}\r\n\r\n`,
  )
  socket.write(firstBytes)
  return socket
}

/** Waits until the condition holds. Disk and network do not follow the test clock. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
}

const filesUnder = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

test('an interrupted upload leaves no file and no row', async () => {
  const folder = await temporaryFolder()
  const chat = await startChat({ files: openFileStore(folder) })
  const ben = await chat.user('ben')
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const { body } = filesForm([{ bytes: Buffer.alloc(4 * MEBIBYTE) }])

  const socket = beginUpload(ben, port, body.length, body.subarray(0, 2 * MEBIBYTE))
  await until(async () => (await filesUnder(folder)) === 1)
  socket.destroy()
  await until(async () => (await filesUnder(folder)) === 0)

  assert.deepEqual(await rows(chat), [])
  await ben.succeed('GET /users/me')
})

test('eight files of a user arrive at a time, further ones wait without delaying others, and too many are refused', async () => {
  const folder = await temporaryFolder()
  const chat = await startChat({ files: openFileStore(folder) })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const { body } = filesForm([{ bytes: Buffer.alloc(100_000) }])
  const begin = (person: Person) => beginUpload(person, port, body.length, body.subarray(0, 50_000))
  const answers: string[] = []

  const sockets = Array.from({ length: 60 }, () =>
    begin(ben).on('data', (bytes: Buffer) => void answers.push(bytes.toString('latin1'))),
  )
  await until(async () => answers.length === 2 && (await filesUnder(folder)) === 8)
  const byCleo = begin(cleo)
  await until(async () => (await filesUnder(folder)) === 9)
  for (const socket of sockets.slice(0, 30)) socket.destroy()
  await until(async () => (await filesUnder(folder)) >= 8)
  for (const socket of [...sockets, byCleo]) socket.destroy()
  await until(async () => (await filesUnder(folder)) === 0)

  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 429 [\s\S]*retry-after: 1\r\n/)
})

test('an upload costs work by its length', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ben = await chat.user('ben')
  const { workBudget } = chat.app.services

  await upload(chat, ben, { bytes: Buffer.alloc(4 * MEBIBYTE) })

  // With a budget of one unit a minute, the time to wait shows how much work was charged.
  const units = workBudget.secondsToWait(ben.id, 1, chat.clock.now()) / 60 - 2 / 3
  assert.ok(units > 16 && units < 18, String(units))
})

test('an upload without credentials or beyond the limit is refused before its body arrives', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const responseTo = async (person: Person, declaredLength: number) => {
    const socket = beginUpload(person, port, declaredLength, Buffer.from('--a-boundary\r\n'))
    const [data] = await new Promise<Buffer[]>((resolve) => socket.once('data', (chunk) => resolve([chunk])))
    socket.destroy()
    return data?.toString() ?? ''
  }

  const unauthorized = await responseTo({ ...ben, apiKey: 'x'.repeat(32) }, 1000)
  const tooLarge = await responseTo(ben, 4_000_000_000)

  assert.match(unauthorized, /^HTTP\/1\.1 401 /)
  assert.match(unauthorized, /connection: close/i)
  assert.match(tooLarge, /^HTTP\/1\.1 400 [\s\S]*maximum upload size \(25 MiB\)/)
})

test('a full disk leaves no file and no row, and the server keeps running', async () => {
  const whole = openFileStore(null)
  let isFull = true
  const files: FileStore = {
    ...whole,
    async create(name) {
      const writer = await whole.create(name)
      const write = async (bytes: Buffer) => {
        if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        await writer.write(bytes)
      }
      return { ...writer, write }
    },
  }
  const chat = await startChat({ files, settings: { LOG_LEVEL: 'silent' } })
  const ben = await chat.user('ben')

  const failed = await sendFiles(chat, ben, '/user_uploads', { bytes: 'hello' })
  isFull = false
  const later = await sendFiles(chat, ben, '/user_uploads', { bytes: 'hello' })

  assert.deepEqual([failed.status, failed.code], [503, 'SERVICE_UNAVAILABLE'])
  assert.equal(later.result, 'success')
  assert.equal((await rows(chat)).length, 1)
})

test('a user who is deactivated during an upload has not uploaded the file', async () => {
  const folder = await temporaryFolder()
  const chat = await startChat({ files: openFileStore(folder) })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const { body } = filesForm([{ bytes: Buffer.alloc(1000) }])
  const socket = beginUpload(ben, port, body.length, body.subarray(0, 500))
  await until(async () => (await filesUnder(folder)) === 1)

  await ada.succeed(`DELETE /users/${ben.id}`)
  const response = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())))
  socket.write(body.subarray(500))

  assert.match(await response, /^HTTP\/1\.1 401 /)
  socket.destroy()
  assert.equal(await filesUnder(folder), 0)
  assert.deepEqual(await rows(chat), [])
})
