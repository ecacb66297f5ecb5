import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { callServer, follow, inOrder, scheduleSoon, toAda } from '../processes/call-server.ts'
import type { KillableServer } from '../processes/killable-server.ts'
import { waitUntil } from './node-storage.ts'
import { prepareNodes, testNodes } from './nodes.ts'

testNodes(
  'when a node is killed during sending and polling, its clients continue on another node with the same queues and lose nothing',
  async (bus) => {
    const nodes = await prepareNodes(['ada'], bus)
    const [ada] = nodes.signatures as [string]
    const [one, other] = await Promise.all([nodes.start(), nodes.start()])
    const client = await follow(one, ada)
    const sent: number[] = []
    const send = async (node: KillableServer) => {
      let answer = await callServer(node, ada, 'POST /messages', toAda('hello'))
      // A node writes nothing while the machine is too slow for its heartbeats.
      while (answer.status === 503) answer = await callServer(node, ada, 'POST /messages', toAda('hello'))
      if (answer.status !== 200) throw new Error(JSON.stringify(answer))
      sent.push(answer['id'])
    }
    const sendOn = async (node: KillableServer) => {
      for (;;) await send(node)
    }

    const sending = sendOn(one).catch(() => {})
    let isOver = false
    const sendingBeside = (async () => {
      while (!isOver) await send(other)
    })()
    while (client.received.length < 40) await client.poll(one)
    const polling = client.poll(one).catch(() => {})
    await one.kill()
    await Promise.all([sending, polling])
    for (let polls = 0; polls < 20; polls++) await client.poll(other)
    isOver = true
    await sendingBeside
    await send(other)
    while (client.received.at(-1) !== Math.max(...sent)) await client.poll(other)
    await other.kill()

    assert.deepEqual(
      sent.filter((id) => !client.received.includes(id)),
      [],
    )
    assert.deepEqual(client.received, inOrder(client.received))
    assert.deepEqual(client.ids, inOrder(client.ids))
  },
)

testNodes(
  'when a node is killed, the next one takes over its jobs: scheduled messages and reminders are sent exactly once',
  async (bus) => {
    const nodes = await prepareNodes(['ada'], bus)
    const [ada] = nodes.signatures as [string]
    const running = await Promise.all([nodes.start(), nodes.start()])
    const leader = await nodes.leader(running)
    const next = running.find((node) => node !== leader) as KillableServer
    const { user_id } = await callServer(next, ada, 'GET /users/me')
    const client = await follow(next, ada)
    const schedule = (content: string, seconds: number) =>
      scheduleSoon(next, ada, 'POST /scheduled_messages', { type: 'direct', to: [user_id], content, seconds })
    const said = async () => {
      const { rows } = await nodes.sql.query('select content from messages order by id')
      return rows.map(({ content }) => content)
    }

    await schedule('with a leader', 1)
    while (client.received.length < 1) await client.poll(next)
    const saidBefore = await said()
    await schedule('without the leader', 2)
    await scheduleSoon(next, ada, 'POST /reminders', { message_id: client.received[0], seconds: 4 })
    await leader.kill()
    while (client.received.length < 3) await client.poll(next)
    await sleep(1000)
    await client.poll(next, { dont_block: true })
    const [first, second, reminded, ...others] = await said()
    assert.equal(await nodes.leader([next]), next)
    await next.kill()

    assert.deepEqual(saidBefore, ['with a leader'])
    assert.deepEqual([first, second, others], ['with a leader', 'without the leader', []])
    assert.match(reminded, /^You asked for a reminder of .+\n\n```quote\nwith a leader\n```$/s)
    assert.equal(client.received.length, 3)
  },
)

/** The advisory lock for which joint transactions wait in the next test. */
const HELD = 3838

/** Lets each transaction with several messages wait for a lock, when it inserts them or when it commits. */
const holdJointTransactions = (at: 'immediate' | 'deferred') => `
  create function hold() returns trigger language plpgsql as $$ begin
    if (select count(*) from messages where xmin = pg_current_xact_id()::xid) > 1 then
      perform pg_advisory_xact_lock_shared(${HELD});
    end if;
    return null;
  end $$;
  create constraint trigger hold after insert on messages deferrable initially ${at} for each row execute function hold()`

for (const [moment, at] of [
  ['before a joint commit', 'immediate'],
  ['in the middle of a joint commit', 'deferred'],
] as const)
  testNodes(
    `when a node is killed ${moment}, messages that are sent again with the same UUID exist once, in order`,
    async (bus) => {
      const nodes = await prepareNodes(['ada'], bus)
      const [ada] = nodes.signatures as [string]
      const [one, other] = await Promise.all([nodes.start(), nodes.start()])
      const client = await follow(one, ada)
      const messages = Array.from({ length: 40 }, () => ({ ...toAda('hello'), queue_id: 'q', local_id: randomUUID() }))
      const answered = new Map<string, number>()
      const send = async (node: KillableServer, message: (typeof messages)[number]) => {
        const { status, id } = await callServer(node, ada, 'POST /messages', message).catch(() => ({
          status: 0,
          id: 0,
        }))
        if (status === 200) answered.set(message.local_id, id)
      }
      const locks = async (isGranted: boolean) => {
        const query = `select from pg_locks where locktype = 'advisory' and objid = ${HELD} and granted = ${isGranted}
          and database = (select oid from pg_database where datname = current_database())`
        return (await nodes.sql.query(query)).rows.length
      }
      await nodes.sql.query(holdJointTransactions(at))
      await nodes.sql.query(`select pg_advisory_lock(${HELD})`)

      const sending = messages.map((message) => send(one, message))
      await waitUntil(async () => (await locks(false)) > 0)
      await one.kill()
      await nodes.sql.query(`select pg_advisory_unlock(${HELD})`)
      await Promise.all(sending)
      await waitUntil(async () => (await locks(true)) === 0)
      const before = new Map(answered)
      const { rows } = await nodes.sql.query('select id::int from messages')
      while (answered.size < messages.length) await Promise.all(messages.map((again) => send(other, again)))
      while (client.received.length < messages.length) await client.poll(other)
      await client.poll(other, { dont_block: true })
      await other.kill()

      if (at === 'deferred') assert.ok(rows.length >= before.size + 2, 'the commit was completed without an answer')
      else assert.equal(rows.length, before.size)
      for (const [localId, id] of before) assert.equal(answered.get(localId), id)
      assert.deepEqual(client.received, inOrder([...answered.values()]))
      assert.deepEqual(client.ids, inOrder(client.ids))
    },
  )
