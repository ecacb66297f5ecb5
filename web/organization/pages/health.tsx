import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type AnswerOf, call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { formatSize } from '../../settings/size-text.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { absoluteTime, Time } from '../../ui/time.tsx'
import * as css from './health.module.css'

/** The page refreshes itself after this many milliseconds. */
const INTERVAL = 20_000

/** Seconds after which a delivery that is due counts as stuck, and after which backups count as old or unverified. */
const DELIVERY_PATIENCE = 900
const BACKUP_AGE = 2 * 86_400
const VERIFIED_AGE = 30 * 86_400

/** Seconds after which a node that has not reported its state counts as stopped. Nodes report once a minute. */
const NODE_PATIENCE = 100

/** Seconds by which a replica may be behind the primary before that counts as a problem. */
const REPLICA_PATIENCE = 30

/** Seconds by which a replica is behind between two looks at it, although it replays everything at once. */
const UP_TO_DATE = 2

const isSilent = ({ reported_at: at }: Server['nodes'][number], now: number) => now - at > NODE_PATIENCE

/** The share of a disk below which its free space counts as little. */
const LITTLE_SPACE = 0.1

type Health = AnswerOf<'GET /server/health'>
type Server = NonNullable<Health['server']>

type Problem = { id: string; kind: 'warn' | 'danger'; title: string; advice: ReactNode }

/** The problems and the state of the server, for administrators of the root organization, or else of the organization. */
export function HealthPage(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => call('GET /server/health', {}, { signal }),
    refetchInterval: INTERVAL,
    staleTime: 0,
  })
  if (data === undefined) {
    if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
    return <Loading label={t('Loading health')} lines={6} />
  }
  const { organization, server } = data
  const now = Date.now() / 1000
  const problems = [...(server === null ? [] : problemsOf(server, now)), ...problemsOfOrganization(organization)]
  return (
    <div className="stack">
      {error !== null && (
        <Notice kind="danger" title={t('The server does not answer')}>
          <p>{t('What you see below is older. The page tries again by itself.')}</p>
        </Notice>
      )}
      {problems.map(({ id, kind, title, advice }) => (
        <Notice key={id} kind={kind} title={title}>
          <div>{advice}</div>
        </Notice>
      ))}
      {problems.length === 0 && (
        <Notice kind="good" title={t('No problems found')}>
          <p>{t('This page checks again every 20 seconds.')}</p>
        </Notice>
      )}
      <OrganizationFacts organization={organization} hasServer={server !== null} />
      {server !== null && <ServerFacts server={server} />}
    </div>
  )
}

function problemsOfOrganization({ failing_webhooks: failing }: Health['organization']): Problem[] {
  if (failing.length === 0) return []
  return [
    {
      id: 'webhooks',
      kind: 'warn',
      title: t('{count, plural, one {# outgoing webhook fails} other {# outgoing webhooks fail}}', {
        count: failing.length,
      }),
      advice: rich('Open <a>Bots</a>, choose the bot, and look at its deliveries.', {
        a: (text) => (
          <Link to="/organization/$section" params={{ section: 'bots' }}>
            {text}
          </Link>
        ),
      }),
    },
  ]
}

/** Returns what is wrong with the server, the worst first. */
function problemsOf(server: Server, now: number): Problem[] {
  const found: (Problem | false)[] = [
    !server.database.is_ready && {
      id: 'database',
      kind: 'danger',
      title: t('The database cannot be written'),
      advice: t(
        'Messages cannot be sent. The log of the server says why: look at the database and at the space on its disk.',
      ),
    },
    !server.files.is_ready && {
      id: 'files',
      kind: 'danger',
      title: t('The files cannot be read'),
      advice: t(
        'Uploads and pictures do not work. The log of the server says why: look at the disk or the store of the files.',
      ),
    },
    ...server.disks.map(
      ({ name, free_bytes: free, size_bytes: size }): Problem | false =>
        free < size * LITTLE_SPACE && {
          id: `disk-${name}`,
          kind: 'danger',
          title:
            name === 'database'
              ? t('The disk of the database is almost full')
              : t('The disk of the files is almost full'),
          advice: t(
            '{free} are free. Without space, nothing can be sent or uploaded. Enlarge the disk or free some space.',
            {
              free: formatSize(free),
            },
          ),
        },
    ),
    ...server.deliveries.map(
      ({ kind, oldest_waiting_since: since }): Problem | false =>
        since !== null &&
        now - since > DELIVERY_PATIENCE && {
          id: `waiting-${kind}`,
          kind: 'warn',
          title: kind === 'email' ? t('Emails are stuck') : t('Notifications or webhooks are stuck'),
          advice: t('The oldest has been waiting since {time}. The background jobs below may say why.', {
            time: absoluteTime(since),
          }),
        },
    ),
    server.emails_deferred > 0 && {
      id: 'deferred',
      kind: 'warn',
      title: t('{count, plural, one {# email was not accepted} other {# emails were not accepted}} by the relay yet', {
        count: server.emails_deferred,
      }),
      advice: rich('The server tries again by itself. The <a>outbox</a> shows the replies of the relay.', {
        a: toOutbox,
      }),
    },
    ...server.jobs.flatMap(({ name, does, failing_since: since, last_error: error }): Problem[] =>
      since === null
        ? []
        : [
            {
              id: `job-${name}`,
              kind: 'warn',
              title: t('A background job has been failing since {time}', { time: absoluteTime(since) }),
              advice: (
                <>
                  <p>{t('{name} {does}. It tries again by itself.', { name, does })}</p>
                  {error !== null && <p className={css.healthError}>{error}</p>}
                </>
              ),
            },
          ],
    ),
    ...server.replicas.flatMap((replica) => problemsOfReplica(replica, server.nodes.length > 1)),
    ...problemsOfBackups(server.backups, now),
    ...server.nodes
      .filter((node) => isSilent(node, now))
      .map(
        (node): Problem => ({
          id: `node-${nameOfNode(node)}`,
          kind: 'warn',
          title: t('A node has not reported since {time}', { time: absoluteTime(node.reported_at) }),
          advice: t(
            '{name} was killed, or has lost the database. If it has ended, this disappears within three minutes.',
            { name: nameOfNode(node) },
          ),
        }),
      ),
    ...server.nodes
      .filter((node) => node.is_connected_to_nats === false && !isSilent(node, now))
      .map(
        (node): Problem => ({
          id: `nats-${nameOfNode(node)}`,
          kind: 'warn',
          title: t('A node is not connected to NATS'),
          advice: t(
            '{name} learns of changes a moment later, from the database, and of no one who is typing elsewhere. “parley doctor” names the servers that it cannot use.',
            { name: nameOfNode(node) },
          ),
        }),
      ),
    new Set(server.nodes.map(({ version, commit }) => `${version} ${commit}`)).size > 1 && {
      id: 'versions',
      kind: 'warn',
      title: t('The nodes run different versions'),
      advice: t('That is fine during an upgrade. Upgrade the other nodes, too.'),
    },
  ]
  return found.filter((problem) => problem !== false)
}

function problemsOfReplica(
  { name, lag_seconds: lag, problems }: Server['replicas'][number],
  hasNodes: boolean,
): Problem[] {
  if (problems.length > 0)
    return [
      {
        id: `replica-${name}`,
        kind: 'warn',
        title: t('The replica {name} of the database cannot be used', { name }),
        advice: (
          <>
            {problems.map(({ host, process_id: process, reason }) => (
              <p key={`${host} ${process}`} className={css.healthError}>
                {hasNodes ? `${host} (${process}): ${reason}` : reason}
              </p>
            ))}
            <p>{t('The primary answers its reads meanwhile. “parley doctor” says what to change.')}</p>
          </>
        ),
      },
    ]
  if (lag === null || lag < REPLICA_PATIENCE) return []
  return [
    {
      id: `replica-${name}`,
      kind: 'warn',
      title: t('The replica {name} of the database is {count, plural, one {# second} other {# seconds}} behind', {
        name,
        count: Math.round(lag),
      }),
      advice: t('The primary answers its reads meanwhile. “parley doctor” says what to change.'),
    },
  ]
}

function problemsOfBackups(backups: Server['backups'], now: number): (Problem | false)[] {
  const { is_scheduled: isScheduled, last_backup_at: last, last_verified_at: verified } = backups
  return [
    last === null && {
      id: 'backup',
      kind: isScheduled ? 'danger' : 'warn',
      title: t('There is no backup'),
      advice: isScheduled
        ? t('Backups are turned on, but none is complete yet. The log says why, if this stays for a day.')
        : t('Set BACKUP_DIR, so that the server makes one each day.'),
    },
    last !== null &&
      now - last > BACKUP_AGE && {
        id: 'backup',
        kind: 'danger',
        title: t('The newest backup is from {time}', { time: absoluteTime(last) }),
        advice: isScheduled
          ? t('A backup should be made each day. The log of the server says what failed.')
          : t('Make one with “parley backup”, or set BACKUP_DIR, so that the server makes one each day.'),
      },
    backups.damaged_at !== null && {
      id: 'damaged',
      kind: 'danger',
      title: t('The newest backup is damaged'),
      advice: t(
        'Make another with “parley backup”. Then check the disk or the store of the backups: “parley backup verify” lists what is damaged.',
      ),
    },
    last !== null &&
      backups.damaged_at === null &&
      (verified === null || now - verified > VERIFIED_AGE) && {
        id: 'verified',
        kind: 'warn',
        title: t('No backup of the last 30 days was verified'),
        advice: t('Run “parley backup verify” with the newest backup, so that you know that it can be restored.'),
      },
  ]
}

const nameOfNode = ({ host, process_id: process, started_at: start }: Server['nodes'][number]): string =>
  host === null
    ? t('A node that runs since {time}', { time: absoluteTime(start) })
    : t('{host}, process {process}', { host, process: String(process) })

const toOutbox = (text: ReactNode) => <Link to="/outbox">{text}</Link>

function Facts({ id, title, facts }: { id: string; title: string; facts: readonly [string, ReactNode][] }): ReactNode {
  return (
    <section className={settingsCss.settingsGroup} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <dl className={css.healthFacts}>
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function OrganizationFacts(props: { organization: Health['organization']; hasServer: boolean }): ReactNode {
  const { organization, hasServer } = props
  const { realm_name: name } = useOrganization('realm_name')
  return (
    <>
      <Facts
        id="health-organization"
        title={name}
        facts={[
          [t('Emails that wait'), t('{count, number}', { count: organization.emails_waiting })],
          [t('Emails to try again'), t('{count, number}', { count: organization.emails_deferred })],
          [t('Sent and failed emails'), rich('<a>Outbox</a>', { a: toOutbox })],
          [t('Failing webhooks'), t('{count, number}', { count: organization.failing_webhooks.length })],
        ]}
      />
      {!hasServer && (
        <p className="soft">{t('Whoever runs the server sees its version, storage, backups and jobs.')}</p>
      )}
    </>
  )
}

function textOfReplica({ lag_seconds: lag, problems }: Server['replicas'][number]): string {
  if (lag === null) return t('Not used')
  if (problems.length > 0) return t('Not used by all nodes')
  return lag < UP_TO_DATE
    ? t('Up to date')
    : t('{count, plural, one {# second} other {# seconds}} behind', { count: Math.round(lag) })
}

const when = (at: number | null): ReactNode => (at === null ? t('Never') : <Time at={at} as="ago" />)

function ServerFacts({ server }: { server: Server }): ReactNode {
  const [node] = server.nodes
  const { database, deliveries, backups, disks } = server
  const waiting = deliveries.reduce((sum, { waiting: count }) => sum + count, 0)
  const free = disks.map(({ name, free_bytes: free, size_bytes: size }): [string, ReactNode] => [
    name === 'database' ? t('Free on the disk of the database') : t('Free on the disk of the files'),
    t('{free} of {size}', { free: formatSize(free), size: formatSize(size) }),
  ])
  const replicas = server.replicas.map((replica): [string, ReactNode] => [
    t('Replica {name}', { name: replica.name }),
    textOfReplica(replica),
  ])
  const size: [string, ReactNode][] =
    database.size_bytes === null ? [] : [[t('Size of the database'), formatSize(database.size_bytes)]]
  return (
    <>
      <Facts
        id="health-server"
        title={t('Server')}
        facts={[
          [t('Version'), server.commit === null ? server.version : `${server.version} (${server.commit})`],
          ...(node === undefined || server.nodes.length > 1
            ? []
            : ([
                [t('Running since'), <Time key="since" at={node.started_at} as="absolute" />],
                [t('Connected clients'), t('{count, number}', { count: node.connected_clients })],
                [t('Memory'), formatSize(node.memory_bytes)],
              ] satisfies [string, ReactNode][])),
          [t('Waiting deliveries'), t('{count, number}', { count: waiting })],
          [t('Email relay'), server.has_relay ? t('Set up') : t('None: emails stay in the outbox')],
        ]}
      />
      <Facts
        id="health-storage"
        title={t('Storage')}
        facts={[
          [t('Database'), database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
          [t('Database can be written'), database.is_ready ? t('Yes') : t('No')],
          ...replicas,
          ...size,
          ...free,
          [t('Files can be read'), server.files.is_ready ? t('Yes') : t('No')],
        ]}
      />
      <Facts
        id="health-backups"
        title={t('Backups')}
        facts={[
          [t('Made by the server'), backups.is_scheduled ? t('Yes') : t('No')],
          [t('Newest'), when(backups.last_backup_at)],
          [t('Newest verified'), when(backups.last_verified_at)],
        ]}
      />
      {server.nodes.length > 1 && <Nodes nodes={server.nodes} />}
      <JobTable jobs={server.jobs} />
    </>
  )
}

function Nodes({ nodes }: { nodes: Server['nodes'] }): ReactNode {
  const now = Date.now() / 1000
  return (
    <section className={settingsCss.settingsGroup} aria-labelledby="health-nodes">
      <h2 id="health-nodes">{t('Nodes')}</h2>
      <div className={css.healthTable}>
        <table aria-labelledby="health-nodes">
          <thead>
            <tr>
              <th>{t('Node')}</th>
              <th>{t('Clients')}</th>
              <th>{t('Memory')}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <tr key={`${nameOfNode(node)} ${node.started_at}`}>
                <th scope="row">
                  {node.host !== null && nameOfNode(node)}
                  {isSilent(node, now) ? (
                    <p className={`small ${css.healthSilent}`}>
                      {rich('Last report {time}', { time: <Time at={node.reported_at} as="ago" /> })}
                    </p>
                  ) : (
                    <p className="soft small">
                      {rich('{version} since {time}', {
                        version: node.version,
                        time: <Time at={node.started_at} as="absolute" />,
                      })}
                      {node.is_leader && <> · {t('Runs the jobs')}</>}
                    </p>
                  )}
                </th>
                <td>{t('{count, number}', { count: node.connected_clients })}</td>
                <td className={css.healthSize}>{formatSize(node.memory_bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function JobTable({ jobs }: { jobs: Server['jobs'] }): ReactNode {
  return (
    <details className={css.healthJobs}>
      <summary>{t('Background jobs')}</summary>
      <div className={css.healthTable}>
        <table aria-label={t('Background jobs')}>
          <thead>
            <tr>
              <th>{t('Job')}</th>
              <th>{t('Last success')}</th>
              <th>{t('Last failure')}</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map(({ name, does, last_success_at: success, last_failure_at: failure, last_error: error }) => (
              <tr key={name}>
                <th scope="row">
                  {name}
                  <p className="soft small">{does}</p>
                </th>
                <td>{when(success)}</td>
                <td>
                  {when(failure)}
                  {error !== null && <p className={css.healthError}>{error}</p>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
