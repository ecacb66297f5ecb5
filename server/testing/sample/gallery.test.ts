import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { startTestServer } from '../test-server.ts'
import { callApi } from './gallery.ts'
import { galleryTopics } from './gallery-content.ts'

const server = await startTestServer({ port: 0, database: 'memory' })
after(() => server.close())

const origin = `http://localhost:${server.port}`
const visit = async () => {
  const answer = await fetch(`${origin}/dev/gallery`, { redirect: 'manual' })
  return [answer.status, answer.headers.get('location')]
}

test('the gallery is filled by its first visit, with a topic for each kind of content', async () => {
  assert.deepEqual(await visit(), [404, null])
  const created = await fetch(`${server.url}/testing/organizations`, {
    method: 'POST',
    body: JSON.stringify({ subdomain: '', preset: 'sample' }),
  })
  const { users } = (await created.json()) as { users: Record<string, { delivery_email: string; api_key: string }> }

  const [status, address] = await visit()

  assert.equal(status, 302)
  assert.deepEqual(await visit(), [302, address])
  const alice = { url: origin, email: users['alice']!.delivery_email, apiKey: users['alice']!.api_key }
  const channelId = /^\/channels\/(\d+)$/.exec(String(address))?.[1]
  const { topics } = await callApi<{ topics: { name: string }[] }>(alice, `GET /users/me/${channelId}/topics`)
  assert.deepEqual(
    topics.map(({ name }) => name).toReversed(),
    galleryTopics.map(({ topic }) => topic),
  )
})

test('an ordinary server has no gallery', async () => {
  const chat = await startChat()

  assert.equal((await chat.request({ method: 'GET', path: '/dev/gallery' })).status, 404)
})
