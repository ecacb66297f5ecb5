import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApp } from '#app.ts'
import { readSettings } from '#config.ts'
import { systemClock, testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { type MailTransport, openMailbox } from '#mail/delivery.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { inject } from '../inject.ts'
import { callServer, follow, inOrder, toAda } from '../processes/call-server.ts'
import type { KillableServer } from '../processes/killable-server.ts'
import { waitUntil } from './node-storage.ts'
import { prepareNodes, testNodes } from './nodes.ts'

/** In milliseconds: a poll that nothing answers earlier gets a heartbeat after 50 seconds. */
const BEFORE_HEARTBEAT = 48_000

/** Returns the milliseconds until the promise resolves. */
async function timed(work: Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work
  return performance.now() - start
}

/** Resolves when a poll at the node is probably waiting. */
const settled = () => sleep(200)

testNodes('two nodes', async (bus, context) => {
  const names = ['ada', 'ben', 'cleo', ...Array.from({ length: 20 }, (_, at) => `u${at}`)]
  const nodes = await prepareNodes(names, bus)
  const [ada, ben, cleo] = nodes.signatures as [string, string, string]
  const [one, other] = await Promise.all([nodes.start(), nodes.start()])
  const { user_id: adaId } = await callServer(one, ada, 'GET /users/me')
  const typing = { type: 'direct', op: 'start', to: [adaId] }

  await context.test('a message sent at one node immediately reaches a poll that waits at the other', async () => {
    const client = await follow(other, ada)
    const polling = client.poll(other)
    await settled()

    const sent = await callServer(one, ada, 'POST /messages', toAda('hello'))
    const lateness = await timed(polling)

    assert.deepEqual(client.received, [sent['id']])
    assert.ok(lateness < BEFORE_HEARTBEAT, `${lateness} ms`)
  })

  await context.test('a client that switches nodes with each poll receives every event once', async () => {
    const client = await follow(one, ada)
    const sent: number[] = []

    for (let turn = 0; turn < 20; turn++) {
      const { id } = await callServer(turn % 3 === 0 ? one : other, ada, 'POST /messages', toAda(String(turn)))
      sent.push(id)
      await client.poll(turn % 2 === 0 ? other : one, { dont_block: true })
    }

    assert.deepEqual(client.received, sent)
    assert.deepEqual(client.ids, inOrder(client.ids))
  })

  await context.test('a typing event at one node immediately reaches a poll that waits at the other', async () => {
    const client = await follow(other, ada, ['typing'])
    const polling = client.poll(other)
    await settled()

    await callServer(one, ben, 'POST /typing', typing)
    const lateness = await timed(polling)

    assert.deepEqual(
      (await polling)['events'].map(({ type }: { type: string }) => type),
      ['typing'],
    )
    assert.ok(lateness < BEFORE_HEARTBEAT, `${lateness} ms`)
  })

  await context.test(
    'a client that switches nodes among typing events misses no message, and ids increase',
    async () => {
      const client = await follow(one, ada, ['message', 'typing'])
      const sent: number[] = []

      for (let turn = 0; turn < 20; turn++) {
        await callServer(turn % 3 === 0 ? one : other, ben, 'POST /typing', typing)
        if (turn % 4 === 0) sent.push((await callServer(one, ben, 'POST /messages', toAda(String(turn))))['id'])
        await callServer(turn % 5 === 0 ? one : other, ben, 'POST /typing', typing)
        await client.poll(turn % 2 === 0 ? other : one, { dont_block: true })
      }

      assert.deepEqual(client.received, sent)
      assert.deepEqual(client.ids, inOrder(client.ids))
      assert.ok(client.ids.length > 2 * sent.length, 'typing events were received')
    },
  )

  await context.test(
    'a poll for a queue that waits at the other node counts as a second poll: one of them gets a heartbeat',
    async () => {
      const client = await follow(one, ada)
      const polls = [client.poll(one)]
      await settled()

      polls.push(client.poll(other))
      // If the first node is slow, its poll comes second.
      const earlier = Promise.race(polls)
      const lateness = await timed(earlier)
      const answer = await earlier
      await callServer(one, ada, 'POST /messages', toAda('to the second'))
      await Promise.all(polls)
      // If each node learned of the other poll while its own one waited, both polls got a heartbeat.
      while (client.received.length === 0) await client.poll(one)

      assert.deepEqual(
        answer['events'].map(({ type }: { type: string }) => type),
        ['heartbeat'],
      )
      assert.ok(lateness < BEFORE_HEARTBEAT, `${lateness} ms`)
      assert.equal(client.received.length, 1)
    },
  )

  await context.test('deleting a queue at one node ends the poll that waits at the other', async () => {
    const client = await follow(one, ada)
    const waiting = client.poll(one)
    await settled()

    await callServer(other, ada, 'DELETE /events', { queue_id: client.queue_id })

    assert.equal((await waiting)['code'], 'BAD_EVENT_QUEUE_ID')
    assert.equal((await client.poll(one))['code'], 'BAD_EVENT_QUEUE_ID')
  })

  await context.test(
    'an API key that is invalidated at one node is refused at the other, and its waiting poll ends within a second',
    async () => {
      const client = await follow(other, ben)
      const waiting = client.poll(other)
      await settled()

      await callServer(one, ben, 'POST /users/me/api_key/regenerate')
      const lateness = await timed(waiting)

      assert.equal((await waiting).status, 401)
      assert.ok(lateness < BEFORE_HEARTBEAT, `${lateness} ms`)
      assert.equal((await callServer(other, ben, 'GET /users/me')).status, 401)
    },
  )

  await context.test(
    'presence reported at one node is returned by the other: no change is missed, and update ids never decrease',
    async () => {
      const others = nodes.signatures.slice(3)
      const seen: number[] = []
      const ids = [-1]
      const ask = async (node: KillableServer) => {
        const answer = await callServer(node, cleo, 'POST /users/me/presence', {
          status: 'idle',
          last_update_id: ids.at(-1),
        })
        ids.push(answer['presence_last_update_id'])
        seen.push(...Object.keys(answer['presences']).map(Number))
      }

      await ask(one)
      await settled()
      for (let turn = 0; turn < others.length; turn += 2) {
        const reports = others.slice(turn, turn + 2).map((person, at) =>
          callServer(at === 0 ? one : other, person, 'POST /users/me/presence', {
            status: 'active',
            ping_only: true,
          }),
        )
        await ask(other)
        await Promise.all(reports)
        await ask(one)
      }
      while (new Set(seen).size <= others.length) {
        await sleep(100)
        await ask(other)
      }

      assert.deepEqual(
        ids,
        ids.toSorted((before, after) => before - after),
      )
      // A change may be returned twice: on a busy machine, a node may write a report a second later than the report's
      // own transaction commits. The row is then written twice, the second time with a higher id.
      assert.equal(new Set(seen).size, others.length + 1)
    },
  )

  await context.test('lost connections are reopened, and events from that time are delivered', async () => {
    const client = await follow(other, ada)
    const waiting = client.poll(other)
    await settled()

    await nodes.sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'parley %, process %'`,
    )
    let sent = await callServer(one, ada, 'POST /messages', toAda('after the loss'))
    // Nothing is written while the node has lost the database lock.
    while (sent.status === 503) sent = await callServer(one, ada, 'POST /messages', toAda('after the loss'))
    await waiting
    while (client.received.length === 0) await client.poll(other)
    await waitUntil(async () => (await fetch(`${other.url}/health`)).status === 200)

    assert.deepEqual(client.received, [sent['id']])
  })
})

testNodes('wrong passwords are counted across all nodes', async (bus) => {
  const nodes = await prepareNodes(['ada'], bus)
  Object.assign(nodes.settings, { RATE_LIMITING: 'true' })
  const [one, other] = await Promise.all([nodes.start(), nodes.start()])
  const guess = (node: KillableServer, password: string) =>
    callServer(node, '', 'POST /fetch_api_key', { username: 'ada@example.com', password })

  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => guess(at % 2 === 0 ? one : other, `guess ${at}`)),
  )
  const late = [await guess(one, 'again'), await guess(other, 'again')]

  const counts = Object.fromEntries(
    [401, 429].map((code) => [code, answers.filter(({ status }) => status === code).length]),
  )
  assert.deepEqual(counts, { 401: 5, 429: 7 })
  assert.deepEqual(
    late.map(({ status }) => status),
    [429, 429],
  )
})

testNodes('one node sends the emails of all nodes, each of them once', async (bus) => {
  const { settings, signatures } = await prepareNodes(['ada'], bus)
  const clock = systemClock()
  const mailboxes = [openMailbox(clock), openMailbox(clock)] as const
  const open = (transport: MailTransport) =>
    openApp({ settings: readSettings(settings), log: openLog('silent'), passwordCost: MIN_PASSWORD_COST, transport })
  const leader = await open(mailboxes[0])
  const other = await open(mailboxes[1])

  for (const app of [leader, other]) {
    const emails = app === leader ? 'ben@example.com,cleo@example.com' : 'dan@example.com'
    const answer = await inject(app.http, {
      method: 'POST',
      url: '/api/v1/invites',
      headers: {
        host: 'localhost:9991',
        authorization: signatures[0],
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: `invitee_emails=${emails}&stream_ids=[]`,
    })
    assert.equal(answer.statusCode, 200, answer.body)
  }
  await waitUntil(() => mailboxes[0].mails().length === 3)
  for (const app of [leader, other]) {
    await app.jobs.mail.settled()
    await app.close()
  }

  const recipients = mailboxes.map((mailbox) => mailbox.mails().map(({ to }) => to.join()))
  assert.deepEqual(recipients[0]?.sort(), ['ben@example.com', 'cleo@example.com', 'dan@example.com'])
  assert.deepEqual(recipients[1], [])
})

testNodes(
  'the leading node deletes messages after their retention, and the next leader continues when it stops',
  async (bus) => {
    const { settings, signatures, sql } = await prepareNodes(['ada'], bus)
    const open = async () => {
      const clock = testClock(Date.now() / 1000)
      const app = await openApp({
        settings: readSettings(settings),
        log: openLog('silent'),
        passwordCost: MIN_PASSWORD_COST,
        clock,
      })
      return { app, clock }
    }
    const [leader, other] = [await open(), await open()]
    await sql.query(
      `update realms set settings = '{"message_retention_days": 7}', "retentionFrom" = 0 where subdomain = ''`,
    )
    const sendOld = async ({ app }: typeof leader) => {
      const answer = await inject(app.http, {
        method: 'POST',
        url: '/api/v1/messages',
        headers: {
          host: 'localhost:9991',
          authorization: signatures[0],
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: `${new URLSearchParams({ type: 'direct', to: '["ada@example.com"]', content: 'hello' })}`,
      })
      assert.equal(answer.statusCode, 200, answer.body)
      await sql.query('update messages set "sentAt" = "sentAt" - 8 * 86400')
    }
    const left = async () => Number((await sql.query('select count(*) from messages')).rows[0].count)

    await sendOld(other)
    await other.clock.advance(1200)
    const afterOther = await left()
    // A node does not lead while its last heartbeat is too old.
    await waitUntil(() => leader.app.storage.isLeader())
    await leader.clock.advance(1200)
    const afterLeader = await left()
    await sendOld(leader)
    await leader.app.close()
    await waitUntil(async () => (await left()) === 0)
    await other.app.close()

    assert.deepEqual([afterOther, afterLeader], [1, 0])
  },
)

testNodes('the leading node prepares the emails about missed messages of all nodes, each once', async (bus) => {
  const { settings, signatures, sql } = await prepareNodes(['ada', 'ben'], bus)
  const open = async () => {
    const clock = testClock(Date.now() / 1000)
    const mailbox = openMailbox(clock)
    const app = await openApp({
      settings: readSettings(settings),
      log: openLog('silent'),
      passwordCost: MIN_PASSWORD_COST,
      transport: mailbox,
      clock,
    })
    return { app, clock, mailbox }
  }
  const [leader, other] = [await open(), await open()]
  const answer = await inject(other.app.http, {
    method: 'POST',
    url: '/api/v1/messages',
    headers: {
      host: 'localhost:9991',
      authorization: signatures[0],
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: `${new URLSearchParams({ type: 'direct', to: '["ben@example.com"]', content: 'hello' })}`,
  })
  assert.equal(answer.statusCode, 200, answer.body)

  await other.clock.advance(120)
  await other.app.jobs.missedMail.settled()
  const left = Number((await sql.query('select count(*) from "missedMessages"')).rows[0].count)
  await waitUntil(async () => {
    await leader.clock.advance(1)
    await leader.app.jobs.missedMail.settled()
    return leader.mailbox.mails().length > 0
  })
  for (const { app } of [leader, other]) {
    await app.jobs.mail.settled()
    await app.close()
  }

  assert.equal(left, 1)
  assert.deepEqual(
    [leader, other].map(({ mailbox }) => mailbox.mails().map(({ to }) => to.join())),
    [['ben@example.com'], []],
  )
})
