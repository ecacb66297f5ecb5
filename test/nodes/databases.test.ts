import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { completeSettings, readSettings } from '#config.ts'
import { openServer } from '#databases.ts'
import { openLog } from '#lib/log.ts'
import { createDatabase, startPostgres } from '../postgres.ts'
import { callServer } from '../processes/call-server.ts'
import { commandsIn } from '../processes/command.ts'
import { type KillableServer, startKillableServer } from '../processes/killable-server.ts'
import { sharedDatabaseUrl, temporaryFolder } from '../storage.ts'
import { waitUntil } from './node-storage.ts'
import { type BusSettings, options, testNodes } from './nodes.ts'

/** The second organization is at the address 127.0.0.1 of each node, the first one at its host name. */
const HOSTS = { REALM_HOSTS: '{"127.0.0.1": "acme"}' }
const acmeAt = (node: KillableServer) => ({ ...node, url: node.url.replace('localhost', '127.0.0.1') })

/** The number of nodes that are stopped until one answers meanwhile. */
const MAX_TRIES = 5

let created = 0

/** Returns the address of an empty database beside another one. */
async function databaseBeside(url: string): Promise<string> {
  created += 1
  return createDatabase(url, `further_${process.pid}_${created}`)
}

/** Creates a root organization and another one, acme, in the first of the databases. */
async function prepareSite(urls: readonly string[], bus: BusSettings = {}) {
  const folder = await temporaryFolder()
  const settings = {
    ...HOSTS,
    ...bus,
    DATABASE_URL: '',
    DATABASE_URLS: urls.join(','),
    SEVERAL_NODES: 'true',
    LOG_LEVEL: 'silent',
  }
  const commands = commandsIn(folder, settings)
  const create = async (...words: string[]): Promise<string> => {
    const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada', '--owner-password', 'a long pass phrase']
    const { api_key } = await commands.json('org', 'create', '--name', 'Example', ...words, ...owner)
    return `Basic ${Buffer.from(`ada@example.com:${api_key}`).toString('base64')}`
  }
  const [root, acme] = [await create(), await create('--subdomain', 'acme')]
  const start = () => startKillableServer(folder, settings)
  return { folder, settings, commands, root, acme, start }
}

const channelMessage = (content: string) => ({ type: 'channel', to: 'general', topic: 'moves', content })

const send = (node: KillableServer, authorization: string, content: string) =>
  callServer(node, authorization, 'POST /messages', channelMessage(content))

async function contentsIn(node: KillableServer, authorization: string): Promise<Map<number, string>> {
  const found = new Map<number, string>()
  for (let [anchor, isComplete] = [0, false]; !isComplete; ) {
    const page = { anchor, num_before: 0, num_after: 5000, apply_markdown: false }
    const { messages, found_newest } = await callServer(node, authorization, 'GET /messages', page)
    for (const { id, content } of messages) found.set(id, content)
    anchor = messages.at(-1)?.id
    isComplete = found_newest
  }
  return found
}

testNodes(
  'an organization moves while people write at two nodes, and every acknowledged message moves with it',
  async (bus) => {
    const url = await sharedDatabaseUrl()
    const site = await prepareSite([url, await databaseBeside(url)], bus)
    const nodes = [await site.start(), await site.start()] as const
    const acknowledged = new Map<number, string>()
    const refused: number[] = []
    const others: number[] = []
    let isOver = false
    const write = async (writer: number) => {
      for (let count = 0; !isOver; count++) {
        const content = `${writer}-${count}`
        const node = nodes[count % 2] as KillableServer
        const { status, id } = await send(acmeAt(node), site.acme, content)
        if (status === 200) acknowledged.set(id, content)
        else refused.push(status)
      }
    }
    const writeElsewhere = async () => {
      while (!isOver) others.push((await send(nodes[1], site.root, 'hello')).status)
    }
    const { queue_id } = await callServer(acmeAt(nodes[0]), site.acme, 'POST /register', { event_types: ['presence'] })
    const pollUntilRefused = async () => {
      for (let last_event_id = -1; ; ) {
        const answer = await callServer(acmeAt(nodes[0]), site.acme, 'GET /events', { queue_id, last_event_id })
        if (answer.status === 503) continue
        if (answer['events'] === undefined) return answer
        // The move may take longer than until the next heartbeat.
        assert.deepEqual(new Set(answer['events'].map(({ type }: { type: string }) => type)), new Set(['heartbeat']))
        last_event_id = answer['events'].at(-1).id
      }
    }
    const poll = pollUntilRefused()
    poll.catch(() => {})

    const writing = [write(0), write(1), write(2), writeElsewhere()]
    await waitUntil(() => acknowledged.size > 20)
    const there = await site.commands.json('org', 'move', '1', '--org', 'acme')
    const before = acknowledged.size
    await waitUntil(() => acknowledged.size > before + 20)
    const back = await site.commands.json('org', 'move', '0', '--org', 'acme')
    await waitUntil(() => acknowledged.size > before + 60)
    isOver = true
    await Promise.all(writing)
    const found = await contentsIn(acmeAt(nodes[0]), site.acme)

    assert.match(there.database, /^1 /)
    assert.match(back.database, /^0 /)
    assert.deepEqual((await poll)['code'], 'BAD_EVENT_QUEUE_ID')
    assert.deepEqual(
      [...acknowledged].filter(([id, content]) => found.get(id) !== content),
      [],
    )
    // A message may be saved although its answer was lost, but none is there twice.
    const contents = [...found.values()].filter((content) => /^\d-\d+$/.test(content))
    assert.equal(new Set(contents).size, contents.length)
    for (const writer of ['0', '1', '2']) {
      const counts = [...found].sort(([one], [other]) => one - other).map(([, content]) => content.split('-'))
      const own = counts.filter(([by]) => by === writer).map(([, count]) => Number(count))
      assert.deepEqual(
        own,
        own.toSorted((one, other) => one - other),
      )
    }
    assert.deepEqual(new Set(refused).difference(new Set([503])), new Set())
    assert.deepEqual(new Set(others), new Set([200]))
  },
)

test('a database that is away takes only its own organizations with it, and comes back', options, async () => {
  const further = await startPostgres()
  after(() => further.stop())
  const site = await prepareSite([await sharedDatabaseUrl(), await databaseBeside(further.url)])
  const first = await site.start()
  await site.commands.json('org', 'move', '1', '--org', 'acme')
  const statuses = async (node: KillableServer) =>
    Promise.all(
      [send(node, site.root, 'hello'), send(acmeAt(node), site.acme, 'hello')].map(
        async (answer) => (await answer).status,
      ),
    )
  const health = async (node: KillableServer) => (await fetch(`${node.url}/health`)).text()
  const whole = [await statuses(first), await health(first)]

  await further.freeze()
  await waitUntil(async () => (await statuses(first))[1] === 503)
  const away = [await statuses(first), await health(first), await health(acmeAt(first))]
  const statusesWhileStopping = async (node: KillableServer) => {
    const stopped = node.stop()
    const asked = waitUntil(async () => (await fetch(`${node.url}/health`)).status === 404).then(() => statuses(node))
    // On a busy machine, the node may stop before it is asked.
    const found = await asked.catch(() => null)
    assert.equal(await stopped, 0)
    return found
  }
  let whileStopping = await statusesWhileStopping(first)
  for (let tries = 1; whileStopping === null && tries < MAX_TRIES; tries += 1)
    whileStopping = await statusesWhileStopping(await site.start())
  const second = await site.start()
  const atStart = await statuses(second)
  further.thaw()
  await waitUntil(async () => (await statuses(second))[1] === 200)
  await further.freeze()
  await waitUntil(async () => (await statuses(second))[1] === 503)
  further.thaw()
  await waitUntil(async () => (await statuses(second))[1] === 200)

  assert.deepEqual(whole[0], [200, 200])
  assert.match(String(whole[1]), /^ok\n/)
  assert.doesNotMatch(String(whole[1]), /has been failing/)
  assert.deepEqual(away[0], [200, 503])
  assert.match(String(away[1]), /^ok\n(?:.*\n)*The database .* has been failing since /)
  // The checks of a proxy may name any host, and take no node out of service for one of several databases.
  assert.match(String(away[2]), /^ok\n/)
  assert.deepEqual(whileStopping, [200, 503])
  assert.deepEqual(atStart, [200, 503])
  assert.deepEqual(await statuses(second), [200, 200])
})

test(
  'databases in a wrong order, of others, and without their organizations are named at the start',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    const [own, empty, foreign] = [url, await databaseBeside(url), await databaseBeside(url)]
    const site = await prepareSite([own, empty])
    const foreignSite = await prepareSite([foreign, await databaseBeside(url)])
    const node = await site.start()
    await site.commands.json('org', 'move', '1', '--org', 'acme')
    const twice = await site.commands.run(
      'org',
      'create',
      '--name',
      'Again',
      '--subdomain',
      'acme',
      '--owner-email',
      'b@example.com',
      '--owner-name',
      'B',
    )
    const alone = commandsIn(site.folder, { ...site.settings, DATABASE_URLS: '', DATABASE_URL: empty })
    const beside = await alone.run(
      ...[
        'org',
        'create',
        '--name',
        'Lost',
        '--subdomain',
        'lost',
        '--owner-email',
        'b@example.com',
        '--owner-name',
        'B',
      ],
    )
    const listed = await site.commands.json('org', 'list')
    const users = await site.commands.json('user', 'list', '--org', 'acme')
    const [audited] = await site.commands.json('audit', '--org', 'acme', '--limit', '1')
    const renamed = await site.commands.run('org', 'rename', 'zeta', '--org', 'acme')
    const nowhere = await site.commands.run('org', 'move', '7', '--org', 'zeta')
    const backup = await site.commands.run('backup', `${site.folder}/backup`)
    assert.equal(await node.stop(), 0)
    const open = (environment: Record<string, string>, { folder } = site) => {
      const settings = completeSettings({ ...readSettings({ ...HOSTS, DATA_DIR: folder, ...environment }) })
      return openServer({ settings, log: openLog('silent'), inProcess: () => ({}) })
    }

    await assert.rejects(open({ DATABASE_URLS: `${empty},${own}` }), /Name the first database first/)
    const fresh = await databaseBeside(url)
    await assert.rejects(
      open({ DATABASE_URLS: `${fresh},${own}` }),
      /is empty, and .* is not\. Name first the database/,
    )
    await assert.rejects(open({ DATABASE_URLS: `${own},${foreign}` }), /It has organizations already/)
    await assert.rejects(
      open({ DATABASE_URL: own }),
      /DATABASE_URLS lacks database 1, which has these organizations: acme, zeta\./,
    )
    await assert.rejects(
      open({ DATABASE_URLS: `${own},${own}&application_name=again`, SEVERAL_NODES: 'true' }),
      /It is the first database, under another address/,
    )
    await assert.rejects(
      open({ DATABASE_URLS: `${foreign},${empty}` }, foreignSite),
      /It belongs to another installation/,
    )
    await assert.rejects(open({ DATABASE_URL: empty }), /DATABASE_URL is database 1 of an installation with several/)
    assert.match(beside.complaint, /DATABASE_URL is database 1 of an installation with several/)
    assert.deepEqual([audited.kind, audited.origin], ['organization_changed', 'command'])
    assert.match(twice.complaint, /There is already an organization with the subdomain 'acme'/)
    assert.deepEqual(
      listed.map(({ subdomain, database }: Record<string, string>) => [subdomain, database?.[0]]),
      [
        ['', '0'],
        ['acme', '1'],
      ],
    )
    assert.deepEqual(
      users.map(({ email }: { email: string }) => email),
      ['ada@example.com'],
    )
    assert.deepEqual([renamed.code, renamed.complaint], [0, ''])
    assert.match(nowhere.complaint, /There is no database 7\. These can be reached: 0 \(.*\), 1 \(.*\)\./)
    assert.match(backup.complaint, /names 2 databases, and this command works on one/)
  },
)

test('an organization that is renamed while it is copied is found at its new address', options, async () => {
  const url = await sharedDatabaseUrl()
  const site = await prepareSite([url, await databaseBeside(url)])
  const node = await site.start()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  after(() => sql.end())

  // The move waits for the table before it copies anything.
  await sql.query('begin; lock table "channels" in access share mode; lock table "messageWords" in share mode')
  const moved = site.commands.json('org', 'move', '1', '--org', 'acme')
  await waitUntil(async () => (await sql.query('select from "organizationMoves"')).rowCount === 1)
  const renamed = await site.commands.run('org', 'rename', 'zeta', '--org', 'acme')
  await sql.query('commit')
  await moved

  const { rows } = await sql.query('select "subdomain" from "organizationDatabases" order by 1')
  assert.equal(renamed.complaint, '')
  assert.deepEqual(
    rows.map(({ subdomain }) => subdomain),
    ['acme', 'zeta'],
  )
  assert.equal(await node.stop(), 0)
})

test(
  'a demo organization in another database becomes permanent at an address that no database has',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    const site = await prepareSite([url, await databaseBeside(url)])
    const sql = new pg.Client({ connectionString: url })
    await sql.connect()
    after(() => sql.end())
    await sql.query(`update "realms" set "demoEndsAt" = 1e12 where "subdomain" = 'acme'`)
    const node = await site.start()
    await site.commands.json('org', 'move', '1', '--org', 'acme')
    await site.commands.json(
      ...[
        'org',
        'create',
        '--name',
        'Taken',
        '--subdomain',
        'taken',
        '--owner-email',
        'b@example.com',
        '--owner-name',
        'B',
      ],
    )
    const convert = async (string_id: string) =>
      (await callServer(acmeAt(node), site.acme, 'PATCH /realm', { string_id })).status

    const statuses = [await convert('taken'), await convert('lasting')]
    const { rows } = await sql.query('select "subdomain" from "organizationDatabases" order by 1')

    assert.deepEqual(statuses, [400, 200])
    assert.deepEqual(
      rows.map(({ subdomain }) => subdomain),
      ['acme', 'lasting'],
    )
  },
)

test('a move that was interrupted is completed before the organization moves elsewhere', options, async () => {
  const url = await sharedDatabaseUrl()
  const one = await databaseBeside(url)
  const site = await prepareSite([url, one, await databaseBeside(url)])
  const node = await site.start()
  assert.equal(await node.stop(), 0)
  const [first, further] = [url, one].map((connectionString) => new pg.Client({ connectionString })) as [
    pg.Client,
    pg.Client,
  ]
  for (const client of [first, further]) {
    await client.connect()
    after(() => client.end())
  }
  const { rows } = await first.query(`select * from "realms" where "subdomain" = 'acme'`)
  const [{ id }] = rows
  const interrupted = `insert into "organizationMoves" ("realmId", "state", "startedAt") values (${id}, 'paused', 0)`

  await first.query(interrupted)
  await further.query('insert into "realms" select * from json_populate_record(null::"realms", $1::json)', [
    JSON.stringify(rows[0]),
  ])
  const before = await site.commands.run('org', 'move', '2', '--org', 'acme')
  await first.query(`insert into "organizationDatabases" ("subdomain", "database") values ('acme', 1)`)
  const afterwards = await site.commands.run('org', 'move', '2', '--org', 'acme')

  assert.match(before.complaint, /An earlier attempt to move .* to database 1 was interrupted/)
  assert.match(before.complaint, /org move 1 --org acme/)
  assert.match(afterwards.complaint, /has moved to database 1, and some of its rows are left in database 0/)
})

test(
  'a node without the other databases refuses organizations that move there, with a page for people',
  options,
  async () => {
    const url = await sharedDatabaseUrl()
    const site = await prepareSite([url, await databaseBeside(url)])
    const node = await site.start()
    const settings = { ...site.settings, DATABASE_URL: url, DATABASE_URLS: '' }
    const old = await startKillableServer(site.folder, settings)
    await site.commands.json('org', 'move', '1', '--org', 'acme')

    await waitUntil(async () => (await send(acmeAt(old), site.acme, 'hello')).status === 503)
    assert.equal((await send(acmeAt(node), site.acme, 'hello')).status, 200)
    assert.equal((await send(old, site.root, 'hello')).status, 200)
    const page = await fetch(`${acmeAt(old).url}/`, { headers: { accept: 'text/html' } })
    assert.deepEqual([page.status, page.headers.get('refresh')], [503, '5'])
    assert.match(await page.text(), /<h1>Back in a moment<\/h1>/)
  },
)

test('the rest of an interrupted move is named by the doctor, and listed once', options, async () => {
  const url = await sharedDatabaseUrl()
  const further = await databaseBeside(url)
  const site = await prepareSite([url, further])
  await (await site.start()).stop()
  await site.commands.json('org', 'move', '1', '--org', 'acme')
  const [from, to] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: further })]
  for (const client of [from, to]) await client.connect()
  const { rows } = await to.query(`select to_jsonb(realms) as realm from realms where subdomain = 'acme'`)
  await from.query('insert into realms select * from jsonb_populate_record(null::realms, $1)', [rows[0].realm])
  await from.query(`insert into "organizationMoves" values ($1, 'moved', 0)`, [rows[0].realm.id])
  for (const client of [from, to]) await client.end()

  const listed = await site.commands.json('org', 'list')
  const doctor = await site.commands.run('doctor')
  const back = await site.commands.run('org', 'move', '0', '--org', 'acme')
  const repeated = await site.commands.json('org', 'move', '1', '--org', 'acme')

  assert.deepEqual(
    listed.map(({ subdomain, database }: Record<string, string>) => [subdomain, database?.[0]]),
    [
      ['', '0'],
      ['acme', '1'],
    ],
  )
  assert.match(
    doctor.output,
    /move of acme +has not deleted all of the old rows yet[\s\S]*parley org move 1 --org acme/,
  )
  assert.match(back.complaint, /has moved to database 1, and some of its rows are left in database 0/)
  assert.match(repeated.database, /^1 /)
})

test('two databases of an installation allocate no id twice', options, async () => {
  const url = await sharedDatabaseUrl()
  const further = await databaseBeside(url)
  const site = await prepareSite([url, further])
  const node = await site.start()
  await site.commands.json('org', 'move', '1', '--org', 'acme')
  for (let count = 0; count < 3; count++) {
    await send(node, site.root, 'hello')
    await send(acmeAt(node), site.acme, 'hello')
  }

  const ids: number[][] = []
  for (const database of [url, further]) {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const { rows } = await client.query('select id::integer from messages order by id desc limit 3')
    ids.push(rows.map(({ id }) => id % 16))
    await client.end()
  }

  assert.deepEqual(ids, [
    [0, 0, 0],
    [1, 1, 1],
  ])
})
