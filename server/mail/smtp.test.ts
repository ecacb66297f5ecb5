import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { OperatorError } from '#lib/errors.ts'
import { openScriptedRelay, type RelayStage, relayStages } from '../../test/mail/scripted-relay.ts'
import { type EmailMessage, emailHeaders } from './render-email.ts'
import { smtpTransport } from './smtp.ts'

const message: EmailMessage = {
  envelope: { from: 'noreply@chat.test', to: 'new@example.com' },
  from: { name: 'Parley', address: 'noreply-abc@chat.test' },
  to: 'new@example.com',
  subject: 'Ada Łovelace has invited you to join «Engines»',
  text: 'Come in.\n.\nFrom here: https://chat.test/x?a=1&b=2\n',
  html: '<p>Come in. Grüße</p>',
  messageId: 'abcdef@chat.test',
  date: 1_700_000_000,
  list: { name: 'Engines "R" Üs', host: 'engines.chat.test' },
  unsubscribe: 'mailto:leave@chat.test',
  replyTo: 'reply.abc@in.chat.test',
}

const impatient = { connect: 3, greeting: 3, silence: 3, mail: 15 }

test('an email arrives unchanged, as text and HTML, at its recipient only', async () => {
  await using relay = await openScriptedRelay()
  const transport = smtpTransport(relay.url)

  const delivery = await transport.send(message)
  transport.close()

  const [arrived] = relay.arrived
  const parsed = await PostalMime.parse(arrived?.raw ?? '')
  assert.deepEqual(delivery, { outcome: 'sent', reply: '250 Accepted for delivery' })
  assert.deepEqual([arrived?.from, arrived?.to], ['noreply@chat.test', ['new@example.com']])
  assert.deepEqual(parsed.from, { name: 'Parley', address: 'noreply-abc@chat.test' })
  assert.deepEqual(parsed.to, [{ name: '', address: 'new@example.com' }])
  assert.equal(parsed.subject, message.subject)
  assert.equal(parsed.text?.trimEnd(), message.text.trimEnd())
  assert.equal(parsed.html?.trim(), message.html)
  assert.equal(parsed.messageId, '<abcdef@chat.test>')
  assert.equal(parsed.date, '2023-11-14T22:13:20.000Z')
})

test('the headers that are sent are those that the outbox shows', async () => {
  await using relay = await openScriptedRelay()
  const transport = smtpTransport(relay.url)
  const plain = { ...message, subject: 'Welcome', list: { name: 'Engines "R" Us', host: 'engines.chat.test' } }

  await transport.send(plain)
  transport.close()

  const parsed = await PostalMime.parse(relay.arrived[0]?.raw ?? '')
  const onTheWire = Object.fromEntries(parsed.headers.map(({ key, value }) => [key, value]))
  for (const [name, value] of Object.entries(emailHeaders(plain))) {
    assert.equal(onTheWire[name.toLowerCase()], value, name)
  }
  assert.equal(onTheWire['auto-submitted'], 'auto-generated')
  assert.equal(onTheWire['x-auto-response-suppress'], 'All')
  assert.equal(onTheWire['list-id'], '"Engines \\"R\\" Us" <engines.chat.test>')
  assert.equal(onTheWire['list-unsubscribe'], '<mailto:leave@chat.test>')
})

test('names that look like encoded words, and long names, are shown unchanged', async () => {
  await using relay = await openScriptedRelay()
  const transport = smtpTransport(relay.url)
  const name = '=?utf-8?b?aGk=?= =?utf-8?q?=41?= "Ü" 🙂'
  const subject = `${name} has invited you to join ${'many words '.repeat(20)}=?`

  await transport.send({ ...message, subject, list: { name, host: 'engines.chat.test' } })
  transport.close()

  const raw = relay.arrived[0]?.raw ?? ''
  const parsed = await PostalMime.parse(raw)
  assert.equal(parsed.subject, subject)
  const listId = parsed.headers.find(({ key }) => key === 'list-id')?.value
  assert.equal(decodeWords(listId ?? ''), `${name} <engines.chat.test>`)
  assert.equal(raw.includes('=?utf-8?b?aGk=?='), false)
  assert.equal(raw.match(/^list-id:/gim)?.length, 1)
})

test('addresses of every valid form arrive unchanged', async () => {
  await using relay = await openScriptedRelay()
  const transport = smtpTransport(relay.url)

  for (const to of ["o'brien+tag@example.com", 'a@[127.0.0.1]', 'a!#$%&*/=?^_`{|}~-@sub.example.com']) {
    await transport.send({ ...message, to, envelope: { ...message.envelope, to } })
    assert.deepEqual(relay.arrived.at(-1)?.to, [to])
    assert.equal((await PostalMime.parse(relay.arrived.at(-1)?.raw ?? '')).to?.[0]?.address, to)
  }
  transport.close()
})

/** Decodes the encoded words in a header as email clients do. */
const decodeWords = (header: string) =>
  header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?B\?([^?]*)\?=/g, (_, base64: string) => Buffer.from(base64, 'base64').toString())

const refusals: { stage: RelayStage; code: number; outcome: 'deferred' | 'refused' }[] = [
  { stage: 'connect', code: 421, outcome: 'deferred' },
  { stage: 'connect', code: 554, outcome: 'deferred' },
  { stage: 'ehlo', code: 451, outcome: 'deferred' },
  { stage: 'ehlo', code: 550, outcome: 'deferred' },
  { stage: 'mailFrom', code: 451, outcome: 'deferred' },
  { stage: 'mailFrom', code: 550, outcome: 'deferred' },
  { stage: 'rcptTo', code: 450, outcome: 'deferred' },
  { stage: 'rcptTo', code: 550, outcome: 'refused' },
  { stage: 'data', code: 451, outcome: 'deferred' },
  { stage: 'data', code: 554, outcome: 'refused' },
  { stage: 'dot', code: 452, outcome: 'deferred' },
  { stage: 'dot', code: 554, outcome: 'refused' },
]

for (const { stage, code, outcome } of refusals) {
  test(`a ${code} at ${stage} makes the email ${outcome}, and the reply is kept`, async () => {
    await using relay = await openScriptedRelay()
    relay.behave({ [stage]: { code, text: 'Not like this' } })
    const transport = smtpTransport(relay.url)

    const delivery = await transport.send(message)
    transport.close()

    assert.equal(delivery.outcome, outcome)
    assert.match(delivery.reply, new RegExp(`^${code} .*Not like this`))
    assert.deepEqual(relay.arrived, [])
  })
}

for (const stage of relayStages.filter((name) => name !== 'auth')) {
  for (const turn of ['drop', 'hang'] as const) {
    test(`an email is deferred after one attempt when the relay ${turn}s at ${stage}`, async () => {
      await using relay = await openScriptedRelay()
      relay.behave({ [stage]: turn })
      const transport = smtpTransport(relay.url, turn === 'hang' ? impatient : undefined)

      const delivery = await transport.send(message)
      transport.close()

      assert.equal(delivery.outcome, 'deferred')
      assert.notEqual(delivery.reply, '')
      assert.deepEqual(
        relay.reached.filter((name) => name === stage),
        [stage],
      )
    })
  }
}

test('an email is deferred when the relay keeps sending an endless reply', async () => {
  const trickle = createServer((socket) => {
    const dripping = setInterval(() => socket.write('220-Wait\r\n'), 50)
    socket.on('close', () => clearInterval(dripping)).on('error', () => {})
  })
  trickle.listen(0, '127.0.0.1')
  await once(trickle, 'listening')
  const { port } = trickle.address() as AddressInfo
  const transport = smtpTransport(`smtp://127.0.0.1:${port}`, { connect: 5, greeting: 5, silence: 5, mail: 0.4 })

  const delivery = await transport.send(message)
  transport.close()
  trickle.close()

  assert.equal(delivery.outcome, 'deferred')
})

test('an email is deferred when nothing listens at the address of the relay', async () => {
  const relay = await openScriptedRelay()
  await relay[Symbol.asyncDispose]()
  const transport = smtpTransport(relay.url)

  const delivery = await transport.send(message)
  transport.close()

  assert.equal(delivery.outcome, 'deferred')
  assert.match(delivery.reply, /ECONNREFUSED/)
})

test('an email is deferred when the relay refuses the credentials, which do not appear in the reply', async () => {
  await using relay = await openScriptedRelay()
  relay.behave({ auth: { code: 535, text: 'Who are you?' } })
  const transport = smtpTransport(`smtp://mailer:s3cret-pass@127.0.0.1:${relay.port}`)

  const delivery = await transport.send(message)
  transport.close()

  assert.deepEqual([delivery.outcome, delivery.reply], ['deferred', '535 Who are you?'])
})

test('smtps speaks TLS from the start', async () => {
  await using relay = await openScriptedRelay({ secure: true })
  const trusting = smtpTransport(`smtps://127.0.0.1:${relay.port}?tls.rejectUnauthorized=false`)
  const careful = smtpTransport(`smtps://127.0.0.1:${relay.port}`)

  assert.equal((await trusting.send(message)).outcome, 'sent')
  assert.equal((await careful.send(message)).outcome, 'deferred')
  trusting.close()
  careful.close()
})

test('closing aborts an email that is being sent', async () => {
  await using relay = await openScriptedRelay()
  relay.behave({ dot: 'hang' })
  const transport = smtpTransport(relay.url)
  const sending = transport.send(message)
  while (!relay.reached.includes('dot')) await new Promise((resolve) => setTimeout(resolve, 5))

  transport.close()

  assert.equal((await sending).outcome, 'deferred')
  assert.equal((await transport.send(message)).outcome, 'deferred')
})

test('an unusable URL is refused without being quoted', () => {
  for (const url of [
    'mailer:s3cret-pass@host',
    'http://mailer:s3cret-pass@host',
    'smtp://mailer:s3cret-pass@host:x',
    'smtp://',
  ]) {
    assert.throws(
      () => smtpTransport(url),
      (error: Error) =>
        error instanceof OperatorError &&
        /^SMTP_URL must be like/.test(error.message) &&
        !JSON.stringify({ ...error }).includes('s3cret'),
    )
  }
})

test('no email is sent unencrypted to another machine, unless the URL allows it', async () => {
  await using relay = await openScriptedRelay()
  // Not a loopback address by its name, but the system connects to this machine.
  const other = `smtp://0.0.0.0:${relay.port}`
  const [careful, trusting] = [smtpTransport(other), smtpTransport(`${other}?requireTLS=false`)]

  const refused = await careful.send(message)
  const arrivedBefore = relay.arrived.length
  const sent = await trusting.send(message)
  careful.close()
  trusting.close()

  assert.deepEqual([refused.outcome, arrivedBefore, sent.outcome, relay.arrived.length], ['deferred', 0, 'sent', 1])
  assert.match(refused.advice ?? '', /^The relay does not offer an encrypted connection.*requireTLS=false/)
})
