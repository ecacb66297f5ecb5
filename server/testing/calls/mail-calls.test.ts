import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../../test/scenarios/server.ts'

const server = await startServer()

test('emails are filtered by recipient, ignoring case, and by id; omitted and empty filters match all emails', async () => {
  const { alice } = await server.world()
  for (const invitee_emails of ['one@example.com', 'two@example.com'])
    await alice.succeed('POST /invites', { invitee_emails, stream_ids: [] })
  const ask = async (query: string) =>
    (await server.testing(`GET /testing/mail${query}`)).messages.map((mail: { to: string[] }) => mail.to[0])
  const [first] = await server.mail()

  assert.deepEqual(await ask(''), ['one@example.com', 'two@example.com'])
  assert.deepEqual(await ask('?to=&after_id='), ['one@example.com', 'two@example.com'])
  assert.deepEqual(await ask('?to=TWO@example.com'), ['two@example.com'])
  assert.deepEqual(await ask(`?after_id=${first?.id}`), ['two@example.com'])
  const refused = await server.request({ method: 'GET', path: '/testing/mail?after_id=x' })
  assert.deepEqual([refused.status, refused.body.msg], [400, 'after_id: must be a whole number'])
})
