import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { callServer, follow, scheduleSoon, toAda } from '../processes/call-server.ts'
import type { KillableServer } from '../processes/killable-server.ts'
import { prepareNodes, testNodes } from './nodes.ts'

testNodes(
  'a node that is paused loses its jobs to another one, and serves no outdated data when it resumes',
  async (bus) => {
    const nodes = await prepareNodes(['ada', 'ben'], bus)
    const [ada, ben] = nodes.signatures as [string, string]
    const running = await Promise.all([nodes.start(), nodes.start()])
    const still = await nodes.leader(running)
    const other = running.find((node) => node !== still) as KillableServer
    const { user_id } = await callServer(other, ada, 'GET /users/me')
    const [client, waiting] = [await follow(other, ada), await follow(still, ada)]
    await callServer(still, ben, 'GET /users/me')
    const held = waiting.poll(still)

    process.kill(Number(still.pid), 'SIGSTOP')
    const message = { type: 'direct', to: [user_id], content: 'while the leader is paused' }
    await scheduleSoon(other, ada, 'POST /scheduled_messages', { ...message, seconds: 1 })
    while (client.received.length < 1) await client.poll(other)
    await callServer(other, ben, 'POST /users/me/api_key/regenerate')
    const { id } = await callServer(other, ada, 'POST /messages', toAda('hello'))
    const asked = callServer(still, ben, 'GET /users/me')
    const written = callServer(still, ada, 'POST /messages', toAda('written by who stood still'))
    await sleep(100)
    process.kill(Number(still.pid), 'SIGCONT')
    await held
    while (!waiting.received.includes(id)) await waiting.poll(still)

    assert.equal((await asked).status, 401)
    assert.ok([200, 500, 503].includes((await written).status))
    assert.deepEqual(waiting.received.slice(0, 2), [client.received[0], id])
    assert.equal(await nodes.leader(running), other)
  },
)
