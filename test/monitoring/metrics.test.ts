import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMetrics } from '#monitoring/metrics.ts'
import { freePort } from '../free-port.ts'
import { startChat } from '../harness.ts'
import { prometheusAbsent, promtool } from './prometheus.ts'

const METRICS_TOKEN = 'a token of a monitoring'

const startWatched = () => startChat({ settings: { METRICS_TOKEN } })

/** Returns the values of a metric by their labels, such as `{name="mail"}`. */
function valuesOf(metrics: string, name: string): Map<string, number> {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return new Map(lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

const sum = (values: Map<string, number>) => [...values.values()].reduce((total, value) => total + value, 0)

async function read(chat: Awaited<ReturnType<typeof startWatched>>): Promise<string> {
  const { status, body } = await chat.request({
    method: 'GET',
    path: '/metrics',
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  })
  assert.equal(status, 200)
  return body
}

test('metrics are there for holders of the token only, and without settings like any unknown page', async () => {
  const [watched, plain] = [await startWatched(), await startChat()]
  const get = { method: 'GET', path: '/metrics' }

  const answers = await Promise.all([
    watched.request({ ...get, headers: { authorization: `Bearer ${METRICS_TOKEN}` } }),
    watched.request({ ...get, headers: { authorization: `Bearer ${METRICS_TOKEN}x` } }),
    watched.request(get),
    plain.request({ ...get, headers: { authorization: `Bearer ${METRICS_TOKEN}` } }),
    plain.request({ method: 'GET', path: '/nothing-is-here' }),
  ])

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 401, 401, 404, 404],
  )
  assert.equal(answers[3]?.body, answers[4]?.body)
  assert.equal(plain.app.services.meter, undefined)
})

test('requests are counted by route, method and status, whatever paths clients send', async () => {
  const chat = await startWatched()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { id } = await ada.succeed('POST /messages', { type: 'direct', to: [ben.id], content: 'hello' })

  await ben.succeed(`GET /messages/${id}`)
  await ben.call('GET /messages/999999')
  for (const path of ['/api/v1/messages/1/2/3', '/nowhere', '/nowhere/2', '/user_uploads/1/a/b.txt'])
    await chat.request({ method: 'GET', path })
  await chat.request({ method: 'TRACE', path: '/nowhere' })

  const metrics = await read(chat)
  const counts = valuesOf(metrics, 'parley_http_requests_total')
  assert.equal(counts.get('{route="/api/v1/messages/{message_id}",method="GET",status="200"}'), 1)
  assert.equal(counts.get('{route="/api/v1/messages/{message_id}",method="GET",status="400"}'), 1)
  assert.equal(counts.get('{route="other",method="GET",status="404"}'), 3)
  assert.equal(counts.get('{route="other",method="OTHER",status="404"}'), 1)
  assert.ok([...counts.keys()].every((labels) => !/nowhere|b\.txt|999999/.test(labels)))
  const times = valuesOf(metrics, 'parley_http_request_duration_seconds_count')
  assert.equal(times.get('{route="/api/v1/messages/{message_id}",method="GET"}'), 2)
})

test('refusals, events, deliveries, statements, jobs and files are counted', async () => {
  const chat = await startWatched()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { queue_id: queueId } = await ben.succeed('POST /register', { event_types: ['message'] })
  await ada.succeed('POST /messages', { type: 'direct', to: [ben.id], content: 'hello' })

  const { events } = await ben.succeed('GET /events', { queue_id: queueId, last_event_id: -1, dont_block: true })
  await chat.request({ method: 'GET', path: '/api/v1/users/me', headers: { authorization: 'Basic bm9ib2R5OmtleQ==' } })
  const { files } = chat.app.services
  await files.save('uploads/1/note.txt', Buffer.from('hello'))
  await assert.rejects(files.read('../uploads'))

  const metrics = await read(chat)
  const one = (name: string, labels = '') => valuesOf(metrics, name).get(labels) ?? 0
  assert.equal(one('parley_events_sent_total'), events.length)
  assert.equal(one('parley_event_queues'), 1)
  assert.equal(sum(valuesOf(metrics, 'parley_http_requests_refused_total')), 1)
  assert.ok(one('parley_statement_duration_seconds_count', '{kind="insert"}') > 0)
  assert.ok(one('parley_commit_duration_seconds_count') > 0)
  assert.ok(one('parley_job_runs_total', '{name="mail"}') > 0)
  assert.equal(one('parley_job_failing', '{name="mail"}'), 0)
  assert.equal(one('parley_file_operation_duration_seconds_count', '{operation="save"}'), 1)
  assert.deepEqual([...valuesOf(metrics, 'parley_file_operation_failures_total')], [['{operation="read"}', 1]])
  assert.equal(one('parley_database_ready'), 1)
  assert.equal(one('parley_leader'), 1)
  assert.equal(valuesOf(metrics, 'parley_backup_last_success_timestamp_seconds').size, 0)
})

test('the metrics follow the rules of Prometheus', { skip: prometheusAbsent }, async () => {
  const chat = await startWatched()
  const ada = await chat.user('ada')
  await ada.succeed('GET /users/me')
  await ada.call('GET /messages/1')

  const { code, output } = await promtool(['check', 'metrics'], await read(chat))

  assert.equal(code, 0, output)
  assert.equal(output, '')
})

test('a port of their own serves the metrics and nothing else', async () => {
  const chat = await startChat({ settings: { METRICS_PORT: await freePort() } })
  const { metrics } = chat.app
  assert.ok(metrics !== null)
  await metrics.listen()
  const url = `http://127.0.0.1:${chat.settings.METRICS_PORT}`

  const [found, others, written] = await Promise.all([
    fetch(`${url}/metrics`),
    fetch(`${url}/api/v1/server_settings`),
    fetch(`${url}/metrics`, { method: 'POST' }),
  ])

  assert.deepEqual([found.status, others.status, written.status], [200, 404, 405])
  assert.match(await found.text(), /^parley_build_info\{/m)
  // The main port has no metrics without a token.
  assert.equal((await chat.request({ method: 'GET', path: '/metrics' })).status, 404)
  await assert.rejects(openMetrics(chat.settings).listen(), /METRICS_PORT: cannot listen on localhost/)
})
