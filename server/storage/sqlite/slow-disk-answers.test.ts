import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { heldSyncs } from '../../../test/held-syncs.ts'
import { temporaryFolder } from '../../../test/storage.ts'

async function startOnSlowDisk() {
  const disk = heldSyncs()
  const DATABASE_URL = join(await temporaryFolder(), 'parley.db')
  const chat = await startChat({ settings: { DATABASE_URL }, sqliteLog: disk.sqliteLog })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.channel('design', [ada, ben])
  const send = (content: string) =>
    ada.succeed('POST /messages', { type: 'channel', to: 'design', topic: 'icons', content })
  const contentsForBen = async () => {
    const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 9, num_after: 0 })
    return (messages as { content: string }[]).map(({ content }) => content)
  }
  return { disk, chat, ben, send, contentsForBen }
}

test('while the disk is slow, reads and /health work, and a write is neither acknowledged nor delivered', async () => {
  const { disk, chat, ben, send, contentsForBen } = await startOnSlowDisk()
  const { queue_id, last_event_id } = await ben.succeed('POST /register', { event_types: ['message'] })
  await send('<p>before</p>')
  const [first] = (await ben.succeed('GET /events', { queue_id, last_event_id }))['events']
  const poll = { queue_id, last_event_id: first.id }
  const happened: string[] = []

  const connection = disk.hold()
  const delivery = ben.succeed('GET /events', poll).then(({ events }) => {
    happened.push('delivered')
    return events
  })
  const sending = [send('one'), send('two')].map((sent) => sent.then(() => happened.push('sent')))
  await connection
  const third = send('three').then(() => happened.push('sent'))
  const health = await chat.request({ method: 'GET', path: '/health' })
  const contents = await contentsForBen()
  const newcomer = await ben.succeed('GET /users/me')
  const during = [...happened]
  disk.release()
  await Promise.all([...sending, third])
  const events = await delivery

  assert.deepEqual([health.status, newcomer['full_name']], [200, 'Ben'])
  assert.equal(contents.length, 1)
  assert.deepEqual(during, [])
  assert.equal(events[0].message.content.includes('one') || events[0].message.content.includes('two'), true)
  assert.equal((await contentsForBen()).length, 4)
})
