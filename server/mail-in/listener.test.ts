import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import type { Services } from '#http/endpoint.ts'
import { OperatorError } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { collectLog } from '../../test/collected-log.ts'
import { startChat } from '../../test/harness.ts'
import { MAIL_IN_SETTINGS, messagesIn, openIncomingMail } from '../../test/mail/incoming.ts'
import { makeCertificate } from '../../test/pebble.ts'
import { temporaryFolder } from '../../test/storage.ts'
import type { ListenerOptions } from './listener.ts'
import { MAX_MAIL_BYTES } from './receive-mail.ts'

async function startMail(options: ListenerOptions = {}, log?: Log) {
  const chat = await startChat({ settings: MAIL_IN_SETTINGS, ...(log && { log }) })
  const ben = await chat.user('ben')
  const { id } = await chat.channel('design', [ben])
  const { email: address } = await ben.succeed(`GET /streams/${id}/email_address`)
  return { chat, ben, address: address as string, incoming: await openIncomingMail(chat, options) }
}

const LINE = 'a line of 64 bytes, which is not much, but there are many of it\r\n'

/** Sends lines to the server one after another, and returns the first line of each reply, the greeting first. */
async function dialogue(
  port: number,
  lines: readonly (string | Buffer)[],
  localAddress = '127.0.0.1',
): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  const replies = [await replyOf(socket)]
  for (const line of lines) {
    socket.write(typeof line === 'string' ? `${line}\r\n` : line)
    replies.push(await replyOf(socket))
  }
  socket.destroy()
  return replies
}

async function replyOf(socket: Socket): Promise<string> {
  let text = ''
  while (!/^\d{3} [^\n]*\n/m.test(text)) {
    if (socket.readableEnded || socket.destroyed) return text || 'closed'
    const waiting = new AbortController()
    const { signal } = waiting
    const end = once(socket, 'end', { signal }).then(() => ['000 closed\n'])
    const [chunk] = (await Promise.race([once(socket, 'data', { signal }), end])) as [Buffer | string]
    end.catch(() => {})
    waiting.abort()
    text += String(chunk)
  }
  return text.trim().split('\n').at(-1)?.trim() ?? ''
}

const codes = (replies: readonly string[]) => replies.map((reply) => reply.slice(0, 3))

test('addresses that are none of the server’s are refused before the email, wherever they are', async () => {
  const { address, incoming } = await startMail()
  const [local] = address.split('@')
  const others = ['someone@example.com', 'postmaster@in.parley.test', `${local}@example.com`, `"x"@in.parley.test`]

  for (const to of others) assert.equal((await incoming.send({ to })).code, 550, to)
  assert.equal((await incoming.send({ to: address.toUpperCase() })).code, 250)
  await incoming[Symbol.asyncDispose]()
})

test('each recipient needs an email of its own, so that each gets its own reply', async () => {
  const { address, incoming } = await startMail()

  const replies = await dialogue(incoming.port, [
    ...['EHLO example.org', 'MAIL FROM:<grace@example.org>', `RCPT TO:<${address}>`],
    ...[`RCPT TO:<x${address}>`, 'DATA', 'Subject: a\r\n\r\nhi\r\n.'],
  ])

  assert.deepEqual(codes(replies), ['220', '250', '250', '250', '452', '354', '250'])
  await incoming[Symbol.asyncDispose]()
})

test('an email beyond the maximum size is refused, whether its size is declared or not', async () => {
  const { ben, address, incoming } = await startMail()
  const hello = ['EHLO example.org']
  const from = 'MAIL FROM:<grace@example.org>'
  const data = Buffer.concat([
    Buffer.from('Subject: a\r\n\r\n'),
    Buffer.alloc(MAX_MAIL_BYTES, LINE),
    Buffer.from('\r\n.\r\n'),
  ])

  const declared = await dialogue(incoming.port, [...hello, `${from} SIZE=${MAX_MAIL_BYTES + 1}`])
  const sent = await dialogue(incoming.port, [...hello, from, `RCPT TO:<${address}>`, 'DATA', data])

  assert.equal(declared.at(-1)?.slice(0, 3), '552')
  assert.match(sent.at(-1) ?? '', /^552 5\.3\.4/)
  assert.deepEqual(await messagesIn(ben, 'design'), [])
  await incoming[Symbol.asyncDispose]()
})

test('a network that tries many addresses, connections or emails has to wait', async () => {
  const { chat, address, incoming } = await startMail({ limitsThisMachine: true })
  const guesses = Array.from(
    { length: 51 },
    (_, at) => `RCPT TO:<reply.${String(at).padStart(24, 'a')}@in.parley.test>`,
  )

  const replies = await dialogue(incoming.port, [
    'EHLO a.example',
    'MAIL FROM:<a@a.example>',
    ...guesses,
    `RCPT TO:<${address}>`,
  ])
  const open = await Promise.all(
    Array.from({ length: 7 }, async () => {
      const socket = connect(incoming.port, '127.0.0.1')
      return { socket, reply: await replyOf(socket) }
    }),
  )

  assert.deepEqual(
    codes(replies.slice(3, -2)).filter((code) => code !== '550'),
    [],
  )
  assert.deepEqual(codes(replies.slice(-1)), ['450'])
  assert.equal(open.filter(({ reply }) => reply.startsWith('220')).length, 5)
  for (const { socket } of open) socket.destroy()
  await chat.clock.advance(3600)
  assert.equal((await incoming.send({ to: address })).code, 250)
  await incoming[Symbol.asyncDispose]()
})

test('a network that keeps large emails open takes no memory from other networks', async () => {
  const { address, incoming } = await startMail({ limitsThisMachine: true })
  const start = ['EHLO example.org', 'MAIL FROM:<grace@example.org>', `RCPT TO:<${address}>`, 'DATA']
  const mail = (size: number) => Buffer.concat([Buffer.from('Subject: a\r\n\r\n'), Buffer.alloc(size, LINE)])
  const end = Buffer.from('\r\n.\r\n')
  const slow = connect(incoming.port, '127.0.0.1')
  slow.on('error', () => {})
  await replyOf(slow)
  for (const line of start) {
    slow.write(`${line}\r\n`)
    await replyOf(slow)
  }
  // A part of it may still be in buffers of the system, which have at most a few MiB.
  await new Promise((resolve) => slow.write(mail(MAX_MAIL_BYTES - 5 * 2 ** 20), resolve))

  const same = await dialogue(incoming.port, [...start, Buffer.concat([mail(20 * 2 ** 20), end])])
  const other = await dialogue(incoming.port, [...start, Buffer.concat([mail(1000), end])], '127.0.0.2')
  slow.destroy()

  assert.match(same.at(-1) ?? '', /^452 4\.3\.1/)
  assert.match(other.at(-1) ?? '', /^250/)
  await incoming[Symbol.asyncDispose]()
})

test('nothing is accepted while the database cannot save it, and the email can be delivered again later', async () => {
  const { chat, ben, address, incoming } = await startMail()
  const { services } = chat.app
  const { transaction } = services
  const mail = { to: address, messageId: '<again@example.org>' }
  services.transaction = async () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }))

  const full = await incoming.send(mail)
  services.transaction = async () => Promise.reject(new Error('locked'))
  const locked = await incoming.send(mail)
  services.transaction = transaction

  assert.deepEqual([full.code, locked.code], [452, 451])
  assert.deepEqual(await messagesIn(ben, 'design'), [])
  assert.equal((await incoming.send(mail)).code, 250)
  await incoming[Symbol.asyncDispose]()
})

test('an email for a database that is away is to be delivered again, and those for others arrive', async () => {
  let all: (Services | null)[] = []
  const { chat, address, incoming } = await startMail({ allServices: () => all })
  const { services } = chat.app
  const [elsewhere, failing] = [
    address.replace(/\../, (start) => (start === '.a' ? '.b' : '.a')),
    { ...services, db: null } as never,
  ]
  const codesOf = async () => [
    (await incoming.send({ to: address })).code,
    (await incoming.send({ to: elsewhere })).code,
  ]

  const found: number[][] = []
  for (all of [[null, services], [failing, services], [services]]) found.push(await codesOf())

  assert.deepEqual(found, [
    [250, 451],
    [250, 451],
    [250, 550],
  ])
  await incoming[Symbol.asyncDispose]()
})

test('a client that breaks off within an email is no error of the server', async () => {
  const { log, entries, errors } = collectLog()
  const logged = Promise.withResolvers<void>()
  const watched = (write: Log['debug']) => (fields: object, message: string) => {
    write(fields, message)
    if (/incoming email/i.test(message)) logged.resolve()
  }
  const watching = { ...log, debug: watched(log.debug), error: watched(log.error) }
  const { ben, address, incoming } = await startMail({}, watching)

  await dialogue(incoming.port, [
    ...['EHLO example.org', 'MAIL FROM:<grace@example.org>', `RCPT TO:<${address}>`, 'DATA'],
  ])
  await logged.promise

  assert.deepEqual(errors, [])
  assert.deepEqual(entries.at(-1), {
    message: 'Connection for incoming email failed',
    reason: 'Connection closed before the message was received in full',
  })
  assert.deepEqual(await messagesIn(ben, 'design'), [])
  await incoming[Symbol.asyncDispose]()
})

test('a server that stops accepts no more, and says so to open connections', async () => {
  const { incoming } = await startMail()
  const socket = connect(incoming.port, '127.0.0.1')
  await replyOf(socket)

  const last = replyOf(socket)
  await incoming[Symbol.asyncDispose]()

  assert.match(await last, /^421 /)
  await assert.rejects(incoming.send({ to: 'a@in.parley.test' }))
})

test('with a certificate, emails come encrypted, and a renewed certificate is used without a restart', async (context) => {
  const folder = await temporaryFolder()
  const [cert, key] = [`${folder}/cert.pem`, `${folder}/key.pem`]
  const makeCertificate = (name: string) =>
    promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-subj', `/CN=${name}`, '-keyout', key, '-out', cert],
    ])
  if ((await makeCertificate('first.test').catch(() => null)) === null) return context.skip('openssl is missing')
  const wrong = [
    [{ MAIL_IN_TLS_CERT: `${folder}/none.pem`, MAIL_IN_TLS_KEY: key }, /^MAIL_IN_TLS_CERT cannot be read: ENOENT/],
    [{ MAIL_IN_TLS_CERT: cert, MAIL_IN_TLS_KEY: `${folder}/none.pem` }, /^MAIL_IN_TLS_KEY cannot be read: ENOENT/],
    [{ MAIL_IN_TLS_CERT: cert, MAIL_IN_TLS_KEY: cert }, /^MAIL_IN_TLS_CERT and MAIL_IN_TLS_KEY are no certificate/],
  ] as const
  for (const [settings, message] of wrong) {
    const chat = await startChat({ settings: { ...MAIL_IN_SETTINGS, ...settings } })
    await assert.rejects(openIncomingMail(chat), { constructor: OperatorError, message })
  }
  const chat = await startChat({ settings: { ...MAIL_IN_SETTINGS, MAIL_IN_TLS_CERT: cert, MAIL_IN_TLS_KEY: key } })
  const ben = await chat.user('ben')
  const { id } = await chat.channel('design', [ben])
  const { email: to } = await ben.succeed(`GET /streams/${id}/email_address`)
  context.mock.timers.enable({ apis: ['setInterval'] })
  const incoming = await openIncomingMail(chat)

  const first = await certificateOf(incoming.port)
  await makeCertificate('second.test')
  context.mock.timers.tick(3_600_000)
  const second = await certificateOf(incoming.port)
  context.mock.timers.reset()
  const transport = createTransport({
    ...{ host: '127.0.0.1', port: incoming.port },
    requireTLS: true,
    tls: { rejectUnauthorized: false },
  })
  const { response } = await transport.sendMail({ from: 'grace@example.org', to, text: 'hi' })

  assert.deepEqual([first, second, response.slice(0, 3)], ['first.test', 'second.test', '250'])
  await incoming[Symbol.asyncDispose]()
})

test('without a certificate of its own, the listener uses that of https as soon as there is one', async (context) => {
  const folder = await temporaryFolder()
  const files = { cert: `${folder}/cert.pem`, key: `${folder}/key.pem` }
  const made = await makeCertificate(files, { names: ['https.test'] }).catch(() => null)
  if (made === null) return context.skip('openssl is missing')
  const chat = await startChat({ settings: MAIL_IN_SETTINGS })
  let pair: { cert: string; key: string } | null = null
  let notify = () => {}
  const certificates = {
    findPair: () => pair,
    onChange: (use: () => void) => {
      notify = use
    },
  }
  const incoming = await openIncomingMail(chat, { certificates })
  const socket = connect(incoming.port, '127.0.0.1')
  await replyOf(socket)
  socket.write('EHLO example.org\r\n')
  const before = await replyOf(socket)
  socket.destroy()

  pair = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') }
  notify()

  assert.doesNotMatch(before, /STARTTLS/)
  assert.equal(await certificateOf(incoming.port), 'https.test')
  await incoming[Symbol.asyncDispose]()
})

/** Returns the name in the certificate that STARTTLS shows. */
async function certificateOf(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await replyOf(socket)
  for (const line of ['EHLO example.org', 'STARTTLS']) {
    socket.write(`${line}\r\n`)
    await replyOf(socket)
  }
  const secure = tls.connect({ socket, rejectUnauthorized: false })
  await once(secure, 'secureConnect')
  const { CN } = secure.getPeerCertificate().subject
  secure.destroy()
  return String(CN)
}
