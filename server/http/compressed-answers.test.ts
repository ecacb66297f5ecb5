import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type Chat, type Person, startChat } from '../../test/harness.ts'

/** Sends a request with an API key, accepting gzip unless `encodings` says otherwise. */
async function ask(chat: Chat, { email, apiKey }: Person, route: string, form = '', encodings = 'gzip, deflate, br') {
  const [method = '', path = ''] = route.split(' ')
  const { status, headers, bytes } = await chat.request({
    method,
    path: `/api/v1${path}`,
    headers: {
      host: 'parley.test',
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
      'accept-encoding': encodings,
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { body: form }),
  })
  const encoding = headers['content-encoding']
  return { status, headers, encoding, bytes, text: (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString() }
}

test('the response of register is compressed for clients that accept gzip, and no others', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const packed = await ask(chat, ada, 'POST /register')
  const plain = await ask(chat, ada, 'POST /register', '', 'identity')

  assert.equal(packed.encoding, 'gzip')
  assert.equal(packed.headers['vary'], 'accept-encoding')
  assert.equal(packed.headers['content-length'], String(packed.bytes.length))
  assert.ok(packed.bytes.length < packed.text.length / 2)
  assert.equal(JSON.parse(packed.text).result, 'success')
  assert.equal(plain.encoding, undefined)
  assert.equal(plain.headers['vary'], 'accept-encoding')
  assert.deepEqual(Object.keys(JSON.parse(plain.text)), Object.keys(JSON.parse(packed.text)))
})

test('long responses with messages, events and the API document are compressed, and short ones are not', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  await chat.channel('general', [ada])
  const { queue_id } = await ada.succeed('POST /register', { event_types: ['message'] })
  for (let count = 0; count < 12; count += 1)
    await ada.succeed('POST /messages', {
      type: 'channel',
      to: 'general',
      topic: 'long',
      content: 'lorem '.repeat(100),
    })
  const poll = new URLSearchParams({ queue_id, last_event_id: '-1' })

  const messages = await ask(chat, ada, 'GET /messages?anchor=newest&num_before=20&num_after=0')
  const events = await ask(chat, ada, `GET /events?${poll}`)
  const document = await ask(chat, ada, 'GET /openapi.json')
  const short = await ask(chat, ada, 'GET /users/me')

  assert.deepEqual(
    [messages.encoding, events.encoding, document.encoding, short.encoding],
    ['gzip', 'gzip', 'gzip', undefined],
  )
  assert.equal(JSON.parse(messages.text).messages.length, 12)
  assert.equal(JSON.parse(events.text).events.length, 12)
  assert.ok(JSON.parse(document.text).openapi)
})

test('a waiting poll gets long events compressed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  await chat.channel('general', [ada, ben])
  const { queue_id } = await ada.succeed('POST /register', { event_types: ['message'] })
  const poll = new URLSearchParams({ queue_id, last_event_id: '-1' })

  const waiting = ask(chat, ada, `GET /events?${poll}`)
  await ben.succeed('POST /messages', { type: 'channel', to: 'general', topic: 'long', content: 'x'.repeat(9000) })

  const { encoding, text } = await waiting
  assert.equal(encoding, 'gzip')
  assert.equal(JSON.parse(text).events.length, 1)
})

test('responses with invitation links are never compressed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: 200 })
  for (let count = 0; count < 60; count += 1) await ada.succeed('POST /invites/multiuse', { stream_ids: [] })

  const { encoding, text } = await ask(chat, ada, 'GET /invites')

  assert.ok(text.length > 8192)
  assert.equal(encoding, undefined)
})
