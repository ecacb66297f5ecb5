import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { credentials } from '../../../test/files.ts'
import { startChat } from '../../../test/harness.ts'

/** Declares a body of 900,000 bytes, sends only `sent` bytes, and returns the first response. */
async function post(port: number, path: string, headers: Record<string, string>, sent: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1')
  const lines = Object.entries({ host: 'parley.test', ...headers, 'content-length': '900000' })
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  socket.write(`content=${'a'.repeat(sent - 8)}`)
  let received = ''
  for await (const chunk of socket) {
    received += chunk
    if (received.endsWith('}\n')) break
  }
  socket.destroy()
  return received
}

test('a body of more than 64 KiB is read only with valid credentials', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const wrong = { ...credentials(ada), authorization: `Basic ${btoa(`${ada.email}:${'x'.repeat(32)}`)}` }

  const byNobody = await post(port, '/api/v1/messages', form, 70_000)
  const byWrongKey = await post(port, '/api/v1/messages', { ...form, ...wrong }, 70_000)
  const withoutSession = await post(port, '/json/messages', form, 70_000)
  const byAda = await post(port, '/api/v1/messages', { ...form, ...credentials(ada) }, 900_000)

  for (const response of [byNobody, byWrongKey, withoutSession]) {
    assert.match(response, /^HTTP\/1.1 401 /)
    assert.match(response, /^www-authenticate: /im)
    assert.match(response, /^connection: close$/im)
  }
  assert.match(byAda, /^HTTP\/1.1 400 .*REQUEST_VARIABLE_MISSING/s)
})

test('forms of pages, and endpoints without credentials, accept at most 64 KiB', async () => {
  const chat = await startChat()
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })

  for (const path of ['/login/', '/nowhere', '/api/v1/fetch_api_key'])
    assert.match(await post(port, path, {}, 10), /^HTTP\/1.1 413 .*limit: 65536 bytes/s, path)
})
