import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

/** Sends a poll on its own connection. */
async function openPoll(port: number, person: Person, queueId: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  const credentials = Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')
  const head = `GET /api/v1/events?queue_id=${queueId}&last_event_id=-1 HTTP/1.1\r\nHost: localhost\r\n`
  await new Promise((resolve) => socket.write(`${head}Authorization: Basic ${credentials}\r\n\r\n`, resolve))
  return socket
}

test('a client that lost its connection finds the events in its queue; the other clients receive them at once', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben, cleo])
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const open = async (person: Person) => {
    const { queue_id } = await person.succeed('POST /register', { event_types: ['message'] })
    return { queue_id, socket: await openPoll(port, person, queue_id) }
  }
  const [lost, kept] = [await open(ben), await open(cleo)]

  lost.socket.resetAndDestroy()
  await sendToChannel(ada, design, 'Are you there?')

  const [answer] = await once(kept.socket, 'data')
  assert.match(String(answer), /^HTTP\/1.1 200 OK\r\n[\s\S]*Are you there\?/)
  const { events } = await ben.succeed('GET /events', {
    queue_id: lost.queue_id,
    last_event_id: -1,
    dont_block: true,
  })
  assert.equal(events[0].message.content, 'Are you there?')
  kept.socket.destroy()
})
