import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'
import { sendMail } from '../../test/mail/incoming.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { sized } from '../../test/size.ts'
import { temporaryFolder } from '../../test/storage.ts'

const MAILS = sized(12, 60)
const CONCURRENCY = 3
const KILLS = 3

test('when the server is killed while it receives emails, each that it accepted is a message, and none is two', async () => {
  const folder = await temporaryFolder()
  const authorization = await createOrganizationIn(folder)
  const port = await freePort()
  const settings = { MAIL_IN_PORT: String(port), MAIL_IN_LISTEN_HOST: '127.0.0.1', MAIL_IN_DOMAIN: 'in.test' }
  let server = await startKillableServer(folder, settings)
  const call = async (method: string, path: string, params: Record<string, string> = {}) => {
    const query = new URLSearchParams(params)
    const url = method === 'GET' ? `${server.url}/api/v1${path}?${query}` : `${server.url}/api/v1${path}`
    const response = await fetch(url, { method, headers: { authorization }, ...(method !== 'GET' && { body: query }) })
    assert.ok(response.ok)
    return response.json()
  }
  await call('POST', '/users/me/subscriptions', { subscriptions: '[{"name":"post"}]' })
  const { stream_id } = await call('GET', '/get_stream_id', { stream: 'post' })
  const { email: to } = await call('GET', `/streams/${stream_id}/email_address`)

  const waiting = Array.from({ length: MAILS }, (_, at) => at)
  let accepted = 0
  let mayKill = Promise.withResolvers<void>()
  /** Delivers emails like a mail server: until each is accepted. */
  async function deliver(): Promise<void> {
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const mail = {
        to,
        subject: `mail ${at}`,
        messageId: `<${at}@example.org>`,
        attachments: [{ filename: 'a.txt', content: 'a' }],
      }
      while ((await sendMail(port, mail).catch(() => null))?.code !== 250) await delay(50)
      accepted += 1
      if (accepted % 3 === 0) mayKill.resolve()
    }
  }
  const delivering = Promise.all(Array.from({ length: CONCURRENCY }, deliver))
  for (let kills = 0; kills < KILLS; kills += 1) {
    await mayKill.promise
    mayKill = Promise.withResolvers()
    await server.kill()
    server = await startKillableServer(folder, settings)
  }
  await delivering

  const narrow = JSON.stringify([{ operator: 'channel', operand: 'post' }])
  const range = { anchor: 'newest', num_before: '1000', num_after: '0', narrow }
  const { messages } = (await call('GET', '/messages', range)) as { messages: { subject: string }[] }
  const topics = messages.map(({ subject }) => subject).filter((topic) => topic.startsWith('mail'))
  assert.deepEqual(topics.toSorted(), Array.from({ length: MAILS }, (_, at) => `mail ${at}`).toSorted())
  await server.kill()
})
