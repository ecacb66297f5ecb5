import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { runCommand } from '../../test/processes/command.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

const mail = (subject: string, others = '') =>
  `From: Grace <grace@example.org>\nSubject: ${subject}\nMessage-ID: <${subject}@example.org>\n${others}\nIt is ready.\n`

test('a mail server hands emails to a command, beside a running server whose clients get the message', async () => {
  const folder = await temporaryFolder()
  const authorization = await createOrganizationIn(folder)
  const settings = { MAIL_IN_DOMAIN: 'in.test' }
  const server = await startKillableServer(folder, settings)
  const call = async (method: string, path: string, params: Record<string, string> = {}) => {
    const query = new URLSearchParams(params)
    const url = method === 'GET' ? `${server.url}/api/v1${path}?${query}` : `${server.url}/api/v1${path}`
    return (await fetch(url, { method, headers: { authorization }, ...(method !== 'GET' && { body: query }) })).json()
  }
  await call('POST', '/users/me/subscriptions', { subscriptions: '[{"name":"post"}]' })
  const { stream_id } = await call('GET', '/get_stream_id', { stream: 'post' })
  const { email } = await call('GET', `/streams/${stream_id}/email_address`)
  const queue = await call('POST', '/register', { event_types: '["message"]' })
  const receive = (input: string, address = email, others: Record<string, string> = {}) =>
    runCommand(
      ['mail', 'receive', address, '--sender', 'grace@example.org'],
      { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, ...settings, ...others },
      input,
    )

  const posted = await receive(mail('tea', 'Content-Type: text/plain\n'))
  const again = await receive(mail('tea'))
  const unknown = await receive(mail('coffee'), 'reply.abcdefghijklmnopqrstuvwx@in.test')
  const unreadable = await receive(`Subject: ${'a'.repeat(1_000_000)}\n\nhi`)
  const broken = await receive(mail('coffee'), email, { DATABASE_URL: '/nowhere/parley.db' })
  const brokenLog = await readFile(`${folder}/mail-receive.log`, 'utf8')
  const off = await receive(mail('coffee'), email, { MAIL_IN_DOMAIN: '' })
  await call('DELETE', `/streams/${stream_id}`)
  await writeFile(`${folder}/mail-receive.log`, 'x'.repeat(1024 * 1024 + 1))
  const refused = await receive(mail('coffee'), email, { LOG_LEVEL: 'info' })
  const wrong = await receive(mail('coffee'), email, { LOG_LEVEL: 'loud' })

  const { events } = await call('GET', '/events', { queue_id: queue.queue_id, last_event_id: '-1', dont_block: 'true' })
  const messages = events.filter(
    ({ message }: { message?: { client: string } }) => message?.client === 'Email to channel',
  )
  assert.deepEqual(
    [posted, again, unknown, unreadable, broken, off, refused, wrong].map(({ code }) => code),
    [0, 0, 67, 65, 75, 78, 77, 75],
  )
  // A mail server returns the output to the sender of the email.
  assert.deepEqual(
    [broken, refused, wrong].map(({ output, complaint }) => output + complaint),
    [
      'Temporary failure.\n',
      'The message cannot be posted: the address cannot be used at the moment.\n',
      'Temporary failure.\n',
    ],
  )
  assert.match(brokenLog, /"level":50.*\/nowhere\/parley\.db.*"msg":"Incoming email was not stored"/)
  assert.match(
    await readFile(`${folder}/mail-receive.log`, 'utf8'),
    /^\{"level":30.*"msg":"Incoming email refused"\}\n$/,
  )
  assert.equal(posted.output + posted.complaint, '')
  assert.match(unknown.complaint, /^There is no such address/)
  assert.deepEqual(
    messages.map(({ message }: { message: { subject: string } }) => message.subject),
    ['tea'],
  )
  await server.kill()
})
