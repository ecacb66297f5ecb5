import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectRoot } from '#lib/process.ts'
import { temporaryFolder } from '../storage.ts'
import { prometheusAbsent, promtool } from './prometheus.ts'

const RULES = join(projectRoot, 'deploy/prometheus/alerts.yml')

const ONE = 'job="parley", instance="a:9992"'
const REQUESTS = `parley_http_requests_total{${ONE}, route="/", status=`
const TIMES = `parley_http_request_duration_seconds_bucket{${ONE}, route=`
const NEWEST = `parley_backup_last_success_timestamp_seconds{${ONE}}`
const VERIFIED = `parley_backup_last_verified_timestamp_seconds{${ONE}}`

/** The values of a series, one for each minute: `a+bxn`. Null if there is no such series. */
type Series = Readonly<Record<string, string | null>>

/** The series of a server without faults: polls wait long, a client exceeds its limit, and an email was deferred. */
const HEALTHY: Series = {
  [`up{${ONE}}`]: '1x200',
  [`parley_database_ready{${ONE}}`]: '1x200',
  [`parley_leader{${ONE}}`]: '1x200',
  [`${REQUESTS}"200"}`]: '0+600x200',
  [`${REQUESTS}"500"}`]: '0+1x200',
  [`${TIMES}"/", le="0.1"}`]: '0+600x200',
  [`${TIMES}"/", le="5"}`]: '0+600x200',
  [`${TIMES}"/", le="+Inf"}`]: '0+600x200',
  [`${TIMES}"/json/events", le="0.1"}`]: '0x200',
  [`${TIMES}"/json/events", le="60"}`]: '0+9000x200',
  [`${TIMES}"/json/events", le="+Inf"}`]: '0+9000x200',
  [`parley_http_requests_refused_total{${ONE}, reason="RATE_LIMIT_HIT"}`]: '0+9x200',
  [`parley_http_requests_waiting{${ONE}, class="normal"}`]: '3x200',
  [`parley_http_requests_waiting{${ONE}, class="polls"}`]: '5000x200',
  [`nodejs_eventloop_lag_p99_seconds{${ONE}}`]: '0.02x200',
  [`parley_job_failing{${ONE}, name="mail"}`]: '0x200',
  [`parley_delivery_oldest_waiting_seconds{${ONE}, kind="email"}`]: '3x200',
  [`parley_emails_deferred{${ONE}}`]: '1x200',
  [`parley_file_operation_failures_total{${ONE}, operation="read"}`]: '1x200',
  [`parley_disk_free_bytes{${ONE}, disk="files"}`]: '50x200',
  [`parley_disk_size_bytes{${ONE}, disk="files"}`]: '100x200',
  [`parley_sqlite_checkpoint_failures_total{${ONE}}`]: '0x200',
  [`parley_sqlite_bytes{${ONE}, file="write_ahead_log"}`]: '60000000x200',
  [`parley_postgres_connections_waiting{${ONE}}`]: '0x200',
  [`parley_node_messages_complete{${ONE}}`]: '1x200',
  [`parley_nats_connected{${ONE}}`]: '1x200',
  [`parley_replica_up{${ONE}, replica="r:5432"}`]: '1x200',
  [`parley_replica_lag_seconds{${ONE}, replica="r:5432"}`]: '1x200',
  [`parley_build_info{${ONE}, version="1", commit="c"}`]: '1x200',
  [`parley_backup_scheduled{${ONE}}`]: '1x200',
  [`parley_backup_damaged{${ONE}}`]: '0x200',
  [NEWEST]: '0+60x200',
  [VERIFIED]: '0+60x200',
  [`parley_certificate_expiry_timestamp_seconds{${ONE}}`]: '5000000x200',
  [`parley_certificate_present{${ONE}}`]: '1x200',
  [`process_open_fds{${ONE}}`]: '40x200',
  [`process_max_fds{${ONE}}`]: '1024x200',
}

/** For each alert, the series that differ while it fires. */
const FAULTS: Readonly<Record<string, Series>> = {
  ParleyDown: { [`up{${ONE}}`]: '0x200' },
  ParleyAbsent: { [`up{${ONE}}`]: null },
  ParleyNotWritable: { [`parley_database_ready{${ONE}}`]: '0x200' },
  ParleyNoLeader: { [`parley_leader{${ONE}}`]: '0x200' },
  ParleyErrors: { [`${REQUESTS}"500"}`]: '0+30x200' },
  ParleySlow: { [`${TIMES}"/", le="0.1"}`]: '0+60x200' },
  ParleyOverloaded: { [`parley_http_requests_refused_total{${ONE}, reason="BUSY"}`]: '0+9x200' },
  ParleyRequestsWaiting: { [`parley_http_requests_waiting{${ONE}, class="normal"}`]: '300x200' },
  ParleyEventLoopDelay: { [`nodejs_eventloop_lag_p99_seconds{${ONE}}`]: '2x200' },
  ParleyJobFailing: { [`parley_job_failing{${ONE}, name="mail"}`]: '1x200' },
  ParleyDeliveriesStuck: { [`parley_delivery_oldest_waiting_seconds{${ONE}, kind="email"}`]: '0+60x200' },
  ParleyEmailsDeferred: { [`parley_emails_deferred{${ONE}}`]: '50x200' },
  ParleyFileStoreFailing: { [`parley_file_operation_failures_total{${ONE}, operation="read"}`]: '0+1x200' },
  ParleyDiskAlmostFull: { [`parley_disk_free_bytes{${ONE}, disk="files"}`]: '5x200' },
  ParleyCheckpointsFailing: {
    [`parley_sqlite_checkpoint_failures_total{${ONE}}`]: '0+1x200',
    [`parley_sqlite_bytes{${ONE}, file="write_ahead_log"}`]: '900000000x200',
  },
  ParleyDatabaseConnectionsShort: { [`parley_postgres_connections_waiting{${ONE}}`]: '4x200' },
  ParleyNodeMissesMessages: { [`parley_node_messages_complete{${ONE}}`]: '0x200' },
  ParleyNatsAway: { [`parley_nats_connected{${ONE}}`]: '0x200' },
  ParleyFurtherDatabaseAway: { [`parley_further_database_up{${ONE}, database="d:5432/parley"}`]: '0x200' },
  ParleyReplicaAway: { [`parley_replica_up{${ONE}, replica="r:5432"}`]: '0x200' },
  ParleyReplicaLags: { [`parley_replica_lag_seconds{${ONE}, replica="r:5432"}`]: '0+60x200' },
  ParleyVersionsDiffer: { 'parley_build_info{job="parley", instance="b:9992", version="1", commit="d"}': '1x200' },
  ParleyBackupOld: { [NEWEST]: null },
  ParleyBackupDamaged: { [`parley_backup_damaged{${ONE}}`]: '1x200' },
  ParleyBackupNotVerified: { [VERIFIED]: '-2600000x200' },
  ParleyCertificateExpires: { [`parley_certificate_expiry_timestamp_seconds{${ONE}}`]: '300000x200' },
  ParleyCertificateMissing: {
    [`parley_certificate_present{${ONE}}`]: '0x200',
    [`parley_certificate_expiry_timestamp_seconds{${ONE}}`]: null,
  },
  ParleyFilesShort: { [`process_open_fds{${ONE}}`]: '1000x200' },
}

test('each alert fires at its fault, and none of a healthy server', { skip: prometheusAbsent }, async () => {
  const path = join(await temporaryFolder(), 'alerts.test.json')
  const file = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      rulesTest(null, {}),
      ...Object.entries(FAULTS).map(([alert, series]) => rulesTest(alert, series)),
      rulesTest('ParleyBackupNotVerified', { [VERIFIED]: null }),
    ],
  }
  await writeFile(path, JSON.stringify(file))

  const checked = await promtool(['check', 'rules', RULES])
  const { code, output } = await promtool(['test', 'rules', path])

  assert.equal(checked.code, 0, checked.output)
  assert.equal(code, 0, output)
  const names = (await readFile(RULES, 'utf8')).matchAll(/- alert: (\w+)/g)
  assert.deepEqual([...names].map(([, name]) => name).toSorted(), Object.keys(FAULTS).toSorted())
})

function rulesTest(alert: string | null, changes: Series) {
  const series = Object.entries({ ...HEALTHY, ...changes }).filter(([, values]) => values !== null)
  return {
    name: alert ?? 'healthy',
    interval: '1m',
    input_series: series.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '190m',
        exp_samples: alert === null ? [] : [{ labels: `{alertname="${alert}"}`, value: 1 }],
      },
    ],
  }
}
