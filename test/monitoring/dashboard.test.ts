import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { projectRoot } from '#lib/process.ts'
import { freePort } from '../free-port.ts'
import { type Chat, startChat } from '../harness.ts'
import { prometheusAbsent, startPrometheus } from './prometheus.ts'

const RULES = join(projectRoot, 'deploy/prometheus/alerts.yml')

/** Metrics of which a server has no series, if it has its database in memory, no NATS, no replicas, no backups, no https and no failures. */
const ABSENT: ReadonlySet<string> = new Set([
  'parley_postgres_connections',
  'parley_postgres_connections_waiting',
  'parley_nats_connected',
  'parley_nats_messages_total',
  'parley_replica_reads_total',
  'parley_replica_lag_seconds',
  'parley_further_database_up',
  'parley_replica_up',
  'parley_backup_last_success_timestamp_seconds',
  'parley_backup_last_verified_timestamp_seconds',
  'parley_file_operation_failures_total',
  'parley_sqlite_bytes',
  'parley_disk_free_bytes',
  'parley_disk_size_bytes',
  'parley_deliveries_total',
  'parley_certificate_expiry_timestamp_seconds',
  'parley_certificate_present',
])

/** Alerts that also fire while the machine of the tests is too slow, whatever the server does. */
const OF_SLOWNESS: ReadonlySet<string> = new Set(['ParleyDown', 'ParleySlow', 'ParleyEventLoopDelay'])

const metricsIn = (query: string): string[] => query.match(/\b(?:parley|nodejs|process)_\w+/g) ?? []

/** Returns whether a query is empty because of the kind of the server: none of its metrics is there. */
function isAbsent(query: string): boolean {
  const names = metricsIn(query)
  return names.length > 0 && names.every((name) => ABSENT.has(name))
}

type Dashboard = {
  panels: { title: string; targets?: { expr: string }[] }[]
  annotations: { list: { expr: string }[] }
}

async function queriesOfDashboard(): Promise<{ title: string; query: string }[]> {
  const file = await readFile(join(projectRoot, 'deploy/grafana/parley.json'), 'utf8')
  const { panels, annotations } = JSON.parse(file) as Dashboard
  const all = [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr }))),
    ...annotations.list.map(({ expr }) => ({ title: 'annotation', expr })),
  ]
  return all.map(({ title, expr }) => ({
    title,
    query: expr.replaceAll('$job', 'parley').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
  }))
}

/** Returns the expressions of the alerts; each is one line or a block of indented lines. */
async function queriesOfAlerts(): Promise<{ title: string; query: string }[]> {
  const rules = await readFile(RULES, 'utf8')
  return [...rules.matchAll(/- alert: (\w+)\n {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/g)].map(
    ([, title = '', block, line]) => ({ title, query: block ?? line ?? '' }),
  )
}

/** Sends messages, reads them, waits for events, and has a request refused. */
async function load(chat: Chat): Promise<void> {
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { queue_id: queueId } = await ben.succeed('POST /register', { event_types: ['message'] })
  const code = `\`\`\`python\nprint("${'x'.repeat(3000)}")\n\`\`\``
  for (const content of ['hello', 'hello again', code])
    await ada.succeed('POST /messages', { type: 'direct', to: [ben.id], content })
  await ben.succeed('GET /messages', { anchor: 'newest', num_before: 10, num_after: 0, narrow: [] })
  await ben.succeed('GET /events', { queue_id: queueId, last_event_id: -1, dont_block: true })
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  await ben.call('GET /messages/999999')
  await chat.app.services.files.save('uploads/1/note.txt', Buffer.from('hello'))
}

test('every query of the dashboard and of the alerts finds data in a server that was used', {
  skip: prometheusAbsent,
}, async () => {
  const chat = await startChat({ settings: { METRICS_PORT: await freePort() } })
  await chat.app.metrics?.listen()
  // Without it, a collection of garbage may come too late to be measured twice.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  await load(chat)
  const prometheus = await startPrometheus({ port: chat.settings.METRICS_PORT }, RULES)
  const countScrapes = async () => {
    const [sample] = await prometheus.query('sum(count_over_time(parley_build_info[1m]))')
    return Number(sample?.value[1] ?? 0)
  }
  // A rate needs two values, and counters that appear between them count only from then on.
  while ((await countScrapes()) < 1) await sleep(100)
  await (await chat.user('cleo')).call('GET /messages/999999')
  while ((await countScrapes()) < 4) await sleep(100)

  const empty: string[] = []
  for (const { title, query } of await queriesOfDashboard())
    if ((await prometheus.query(query)).length === 0 && !isAbsent(query) && title !== 'annotation')
      empty.push(`${title}: ${query}`)
  const alerts = await queriesOfAlerts()
  const firing: string[] = []
  for (const { title, query } of alerts)
    if ((await prometheus.query(query)).length > 0 && !OF_SLOWNESS.has(title)) firing.push(title)
  const names = new Set(alerts.flatMap(({ query }) => metricsIn(query)))
  for (const name of names)
    if (!ABSENT.has(name) && (await prometheus.query(name)).length === 0) empty.push(`alerts: ${name}`)

  assert.deepEqual(empty, [])
  assert.equal(alerts.length, (await readFile(RULES, 'utf8')).match(/- alert:/g)?.length)
  assert.deepEqual(firing, [])
})
