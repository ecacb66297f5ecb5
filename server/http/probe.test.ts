import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, startChat } from '../../test/harness.ts'
import { makeProbePermit, PROBE_HEADER, PROBE_PATH } from './probe.ts'

const probe = (chat: Chat, permit: string) =>
  chat.request({ method: 'GET', path: PROBE_PATH, headers: { [PROBE_HEADER]: permit } })

test('the probe page describes the request and the process to the operator, without a value of a setting', async () => {
  const chat = await startChat({ settings: { SMTP_URL: 'smtp://me:s3cret@mail', SECRET_KEY: 'x'.repeat(40) } })

  const response = await probe(chat, makeProbePermit(chat.app.services))

  assert.equal(response.status, 200)
  const content = JSON.parse(String(response.body))
  assert.deepEqual([content.pid, content.host], [process.pid, 'localhost:80'])
  assert.match(content.settings.SMTP_URL, /^[\w-]{16}$/)
  assert.doesNotMatch(String(response.body), /s3cret|xxx/)
})

test('without a valid permit, the probe page is missing like any other page', async () => {
  const chat = await startChat()
  const other = await chat.request({ method: 'GET', path: '/health/nothing' })
  const early = makeProbePermit(chat.app.services)
  const [content = '', seal = ''] = early.split('.')
  const longer = Buffer.from(JSON.stringify([9_999_999_999, 'x'])).toString('base64url')
  await chat.clock.advance(121)

  for (const permit of ['', 'x', early, `${content}.${seal.slice(0, -2)}xx`, `${longer}.${seal}`, `${content}.`])
    assert.deepEqual((await probe(chat, permit)).status, other.status, permit)
  assert.equal(other.status, 404)
  const posted = { method: 'POST', path: PROBE_PATH, headers: { [PROBE_HEADER]: makeProbePermit(chat.app.services) } }
  assert.notEqual((await chat.request(posted)).status, 200)
})
