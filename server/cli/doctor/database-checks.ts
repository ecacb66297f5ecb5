import { hostname } from 'node:os'
import { isPostgresUrl } from '#config.ts'
import { commandLine } from '#lib/process.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import { findPlaces, type Place } from '#realms/places.ts'
import { databaseName, findDatabaseNumber, settingsOfDatabases } from '#storage/database-numbers.ts'
import { inspectDatabase, inspectNats, inspectReplicas, keepsSessions } from '#storage/inspect.ts'
import { CannotOpenStorage, type Db } from '#storage/storage.ts'
import { type CheckGroup, type DoctorContext, type Finding, ok, problem, reasonOf, warning } from './check.ts'

// The database: whether this program can use it, who serves it, the settings of PostgreSQL, and the NATS servers between
// the nodes that serve it.

function checkVersion({ database }: DoctorContext): Finding[] {
  if (database.value === null) return [problem('connection', database.reason, adviceOf(database.reason))]
  const { version, newest, isUsable } = database.value
  if (version === newest) return [ok('version', `migration ${version}, as this program needs it`)]
  if (version === 0) return [warning('version', 'the database is empty', 'Start the server: it creates the tables.')]
  if (isUsable)
    return [
      warning(
        'version',
        `a newer program has migrated the database to ${version}; this one, with ${newest}, can still use it`,
        'Update the remaining nodes, and this command.',
      ),
    ]
  return version > newest
    ? [
        problem(
          'version',
          `the database is newer than this program: it has migration ${version}, and this program knows ${newest}`,
          'Run the newer program, or restore a backup that was made before the upgrade.',
        ),
      ]
    : [
        warning(
          'version',
          `the database has migration ${version}, and this program needs ${newest}`,
          `Make a backup, and restart the server with this program: it migrates the database (\`${commandLine('migrate')}\` does it while the server is stopped).`,
        ),
      ]
}

/** Advice for the reasons for which databases refuse connections. */
const ADVICE: readonly [RegExp, string][] = [
  [/no database at/, 'Check DATABASE_URL and DATA_DIR. For a new installation, start the server, which creates it.'],
  [
    /malformed|not a database/,
    'Copy it again while its server is stopped, if this is a copy; otherwise, restore the newest backup that was verified.',
  ],
  [/unable to open|readonly|EACCES/, 'Run the command as root, or as the account of the server.'],
  [/ECONNREFUSED|ENOENT/, 'Check that PostgreSQL runs, and the host and port of DATABASE_URL.'],
  [/ENOTFOUND|EAI_AGAIN/, 'Check the host of DATABASE_URL, and the name servers of this machine.'],
  [/password|authentication|pg_hba/, 'Check user and password in DATABASE_URL, and pg_hba.conf of PostgreSQL.'],
  [
    /server_login_retry/,
    'PgBouncer cannot connect to PostgreSQL: look at its log, and at host, port and password of this database in pgbouncer.ini.',
  ],
  [/no such database/, 'List the database of DATABASE_URL below [databases] in pgbouncer.ini.'],
  [/max_client_conn/, 'Raise max_client_conn of PgBouncer, or lower DATABASE_CONNECTIONS.'],
  [
    /does not exist/,
    'Create the role and the database: CREATE ROLE parley LOGIN; CREATE DATABASE parley OWNER parley;',
  ],
  [
    /too many (clients|connections)|connection slots/,
    'Raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS.',
  ],
  [/certificate/, 'Append &sslrootcert=/path/ca.pem to DATABASE_URL, and use the host name of the certificate.'],
  [/timeout/, 'Check that a firewall lets this machine connect to PostgreSQL.'],
]

const adviceOf = (reason: string): string =>
  ADVICE.find(([pattern]) => pattern.test(reason))?.[1] ?? 'Check DATABASE_URL.'

async function checkServers({ database, server, settings }: DoctorContext): Promise<Finding[]> {
  if (database.value === null) return []
  const holders = await database.value.findServers()
  if (holders.length === 0) {
    return server.value === null
      ? [ok('served by', 'no process')]
      : [
          problem(
            'served by',
            `no process, although process ${server.value.pid} answers at the address of these settings: it serves another database`,
            'Run this command with the settings of the server (--settings-file).',
          ),
        ]
  }
  const isOurs = holders.some((holder) => holder.includes(`process ${server.value?.pid}`))
  const names = holders.join('; ')
  if (server.value === null && !isPostgresUrl(settings.DATABASE_URL))
    return [
      warning(
        'served by',
        `${names}, which does not answer at the address of these settings`,
        'Check PORT and LISTEN_HOST, or stop that process.',
      ),
    ]
  if (server.value !== null && !isOurs && holders.some((holder) => holder.endsWith(` on ${hostname()}`)))
    return [
      problem(
        'served by',
        `${names}, and not by the server that answers (process ${server.value.pid})`,
        'Stop the other process.',
      ),
    ]
  return [ok('served by', names)]
}

/** Names of settings of PostgreSQL, and what each may be. */
const DURABILITY: readonly [name: string, why: string][] = [
  ['fsync', 'a power cut can break the whole database'],
  ['full_page_writes', 'a power cut can break pages of the database'],
  ['synchronous_commit', 'a power cut loses messages that were confirmed'],
]

/**
 * Names of time limits in milliseconds, and what they do. They count as the role has them: behind a pooler, this session
 * may have the limits that a server has set. PostgreSQL before 17 has no `transaction_timeout`.
 */
const TIME_LIMITS: readonly [name: string, effect: string][] = [
  ['statement_timeout', 'backups, migrations and exports can be cut short'],
  ['transaction_timeout', 'backups, migrations and exports can be cut short'],
  ['idle_session_timeout', 'idle connections of the server are closed'],
]

/** The seconds for which PostgreSQL may take for a small statement, and by which its clock may differ. */
const [SLOW, CLOCK_TOLERANCE] = [0.005, 2]

type PostgresFacts = Record<string, string | number | null>

async function checkPostgres(context: DoctorContext): Promise<Finding[]> {
  const { settings, database } = context
  if (!isPostgresUrl(settings.DATABASE_URL) || database.value === null) return []
  const [facts] = (await database.value.query(`
    select current_setting('server_version_num')::int as "version", current_setting('server_version') as "versionName",
      ${['fsync', 'full_page_writes', 'synchronous_commit', 'server_encoding', 'default_transaction_read_only', 'superuser_reserved_connections', 'max_connections'].map((name) => `current_setting('${name}') as "${name}"`).join(', ')},
      ${TIME_LIMITS.map(([name]) => `(select reset_val from pg_settings where name = '${name}') as "${name}"`).join(', ')},
      coalesce(current_setting('reserved_connections', true), '0') as "reserved_connections",
      pg_is_in_recovery()::int as "isStandby",
      (select rolsuper::int from pg_roles where rolname = current_user) as "isSuperuser",
      (select rolconnlimit from pg_roles where rolname = current_user) as "roleLimit",
      (select datconnlimit from pg_database where datname = current_database()) as "databaseLimit",
      (select datcollversion from pg_database where datname = current_database()) as "collation",
      (select pg_database_collation_actual_version(oid) from pg_database where datname = current_database()) as "actualCollation",
      (select ssl::int from pg_stat_ssl where pid = pg_backend_pid()) as "isEncrypted",
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and application_name not like 'parley%') as "others",
      current_database() as "name"`)) as [PostgresFacts]
  return [
    Number(facts['version']) < 150_000
      ? problem('PostgreSQL', `version ${facts['versionName']} is not supported`, 'Upgrade to PostgreSQL 15 or later.')
      : ok('PostgreSQL', `version ${facts['versionName']}`),
    ...DURABILITY.map(([name, why]) =>
      facts[name] === 'off'
        ? problem(
            name,
            `off: ${why}`,
            `ALTER SYSTEM SET ${name} = on; SELECT pg_reload_conf(); and look for settings of the role or the database.`,
          )
        : ok(name, String(facts[name])),
    ),
    ...checkConnections(context, facts, (await database.value.findServers()).length),
    ...checkSession(facts),
    ...checkEncryption(settings.DATABASE_URL, facts),
  ]
}

function checkConnections({ settings }: DoctorContext, facts: PostgresFacts, nodes: number): Finding[] {
  const reserved = Number(facts['superuser_reserved_connections']) + Number(facts['reserved_connections'])
  const limits = [Number(facts['max_connections']) - reserved - Number(facts['others'])]
  for (const limit of [facts['roleLimit'], facts['databaseLimit']]) if (Number(limit) >= 0) limits.push(Number(limit))
  const available = Math.min(...limits)
  // One node more, which starts while another stops, and a few connections of commands.
  const servers = Math.max(nodes, 1)
  const needed = (settings.DATABASE_CONNECTIONS + 1) * servers + 3
  const found = `${needed} are needed for ${servers} ${servers === 1 ? 'server' : 'nodes'} and commands, and ${available} are available`
  return [
    needed > available
      ? problem(
          'connections',
          found,
          `Raise max_connections of PostgreSQL to ${Number(facts['max_connections']) + needed - available} or more and restart it, or set DATABASE_CONNECTIONS=${Math.max(3, Math.floor((available - 3) / servers) - 1)} on all nodes. Limits of the role or the database count, too.`,
        )
      : ok('connections', found),
  ]
}

function checkSession(facts: PostgresFacts): Finding[] {
  const findings: Finding[] = []
  if (facts['isStandby'] === 1)
    findings.push(problem('role of the server', 'a standby, which cannot write', 'Point DATABASE_URL to the primary.'))
  else if (facts['default_transaction_read_only'] === 'on')
    findings.push(
      problem(
        'role of the server',
        'default_transaction_read_only is on: nothing can be written',
        `ALTER DATABASE "${facts['name']}" SET default_transaction_read_only = off;`,
      ),
    )
  else findings.push(ok('role of the server', 'a primary that can be written'))
  findings.push(
    facts['server_encoding'] === 'UTF8'
      ? ok('encoding', 'UTF8')
      : problem(
          'encoding',
          `${facts['server_encoding']}`,
          "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0; and copy the data.",
        ),
  )
  if (facts['collation'] !== null && facts['collation'] !== facts['actualCollation'])
    findings.push(
      warning(
        'collation',
        `made with version ${facts['collation']}, and the system has ${facts['actualCollation']}: indexes may be wrong`,
        `REINDEX DATABASE "${facts['name']}"; ALTER DATABASE "${facts['name']}" REFRESH COLLATION VERSION;`,
      ),
    )
  for (const [name, effect] of TIME_LIMITS)
    if (Number(facts[name] ?? 0) !== 0)
      findings.push(
        warning(
          name,
          `${facts[name]} ms: ${effect}`,
          `ALTER ROLE … SET ${name} = 0; for the role of DATABASE_URL. The server sets its own limits.`,
        ),
      )
  if (facts['isSuperuser'] === 1)
    findings.push(
      warning(
        'privileges',
        'the role is a superuser, which Parley does not need',
        'Use a role that only owns this database: CREATE ROLE parley LOGIN; ALTER DATABASE … OWNER TO parley;',
      ),
    )
  return findings
}

function checkEncryption(url: string, facts: PostgresFacts): Finding[] {
  const { hostname: host, searchParams } = new URL(url)
  const name = searchParams.get('host') ?? host
  if (name === '' || name.startsWith('/') || isLoopbackHost(name)) return []
  if (facts['isEncrypted'] !== 1)
    return [
      warning(
        'encryption',
        `the connection to ${name} is not encrypted`,
        'Append ?sslmode=verify-full to DATABASE_URL, unless the network between the machines is trusted.',
      ),
    ]
  return searchParams.get('sslmode') === 'no-verify'
    ? [
        warning(
          'encryption',
          'the certificate of PostgreSQL is not checked',
          'Use sslmode=verify-full, and sslrootcert for your own authority.',
        ),
      ]
    : [ok('encryption', 'TLS')]
}

async function checkPooler({ settings, database }: DoctorContext): Promise<Finding[]> {
  if (!isPostgresUrl(settings.DATABASE_URL) || database.value === null) return []
  if (await keepsSessions(settings.DATABASE_URL)) return [ok('sessions', 'each connection keeps its session')]
  const found = 'a pooler changes the session between transactions'
  return [
    settings.NATS_URL === ''
      ? problem(
          'sessions',
          `${found}: locks and notifications get lost`,
          'Set pool_mode = session for this database in PgBouncer, connect to PostgreSQL directly, or connect nodes by NATS_URL, which needs no sessions.',
        )
      : ok('sessions', `${found}, which nodes with NATS_URL allow`),
  ]
}

async function checkNats({ settings }: DoctorContext): Promise<Finding[]> {
  if (settings.NATS_URL === '') return []
  const reports = await inspectNats(settings.NATS_URL)
  const isServed = reports.some(({ error }) => error === null)
  return reports.map(({ host, version, error }) => {
    const name = `NATS at ${host}`
    if (error === null) return ok(name, `version ${version}`)
    if (error instanceof CannotOpenStorage) {
      const [found = '', ...fix] = error.message.split(/(?<=\.) /)
      return problem(name, found, fix.join(' '))
    }
    return (isServed ? warning : problem)(
      name,
      `cannot be reached: ${error.message}`,
      'Check that this server runs, the host and port in NATS_URL, and that a firewall lets this machine connect to it. ' +
        (isServed ? 'Nodes use the other servers meanwhile.' : 'Nodes read changes from the database meanwhile.'),
    )
  })
}

const MEANWHILE = ' The primary answers its reads meanwhile.'

/** Returns advice for the reason for which a replica refuses connections. It has the roles and databases of its primary. */
function adviceOnReplica(reason: string): string {
  if (/would not be encrypted/.test(reason)) return 'Nodes with this URL do not start.'
  const advice = /does not exist/.test(reason)
    ? 'Write the role and the database of DATABASE_URL into this URL of DATABASE_READ_URLS.'
    : adviceOf(reason).replaceAll('DATABASE_URL', 'DATABASE_READ_URLS')
  return advice + MEANWHILE
}

async function checkReplicas({ settings, database }: DoctorContext): Promise<Finding[]> {
  if (settings.DATABASE_READ_URLS === '' || !isPostgresUrl(settings.DATABASE_URL) || database.value === null) return []
  return (await inspectReplicas(settings)).map(({ name, problem: found }) => {
    const title = `replica at ${name}`
    if (found === null) return ok(title, 'a hot standby of the database, which has replayed all changes')
    return problem(title, found.reason, found.fix === null ? adviceOnReplica(found.reason) : found.fix + MEANWHILE)
  })
}

/** Returns the moves of organizations out of a database that have not ended, because they run or were interrupted. */
async function findMoves(db: Db, places: ReadonlyMap<string, Place>): Promise<Finding[]> {
  const rows = db.selectFrom('organizationMoves').innerJoin('realms', 'realms.id', 'organizationMoves.realmId')
  return (await rows.select(['subdomain', 'state', 'startedAt']).execute()).map(({ subdomain, state, startedAt }) => {
    const where = state === 'moved' ? (places.get(subdomain)?.database ?? 0) : 'DATABASE'
    const command = `\`parley org move ${where}${subdomain === '' ? '' : ` --org ${subdomain}`}\``
    const found = {
      copying: 'copies the organization',
      paused: 'has paused the organization, which nobody reaches',
      moved: 'has not deleted all of the old rows yet',
    }[state]
    const since = new Date(startedAt * 1000).toISOString()
    return warning(
      `move of ${subdomain || 'the root organization'}`,
      `${found}; it began at ${since}`,
      `Unless the command is still running, repeat it: ${command}`,
    )
  })
}

/** Examines the databases beside the first one, whose directory leads to them. */
async function checkFurtherDatabases({ settings, database }: DoctorContext): Promise<Finding[]> {
  if (!isPostgresUrl(settings.DATABASE_URL) || database.value === null || !database.value.isUsable) return []
  const [, ...others] = settingsOfDatabases(settings)
  if (others.length === 0) return []
  const findings: Finding[] = []
  const reached = new Set([0])
  const places = await findPlaces(database.value.db)
  const moves = (await findDatabaseNumber(database.value.db)) === null ? [] : await findMoves(database.value.db, places)
  for (const own of others) {
    const title = `database at ${databaseName(own)}`
    try {
      await using found = await inspectDatabase(own)
      const number = found.version === 0 ? null : await findDatabaseNumber(found.db)
      if (number !== null) {
        reached.add(number)
        moves.push(...(await findMoves(found.db, places)))
      }
      findings.push(
        number === null
          ? warning(title, 'has not joined the others yet', 'Start a node with these DATABASE_URLS.')
          : ok(title, `number ${number} of the installation, at migration ${found.version}`),
      )
    } catch (error) {
      const reason = reasonOf(error)
      findings.push(problem(title, reason, adviceOf(reason).replaceAll('DATABASE_URL', 'DATABASE_URLS')))
    }
  }
  findings.push(...moves)
  const absent = [...places].filter(([, place]) => !reached.has(place.database))
  if (absent.length === 0) return findings
  const names = absent.slice(0, 5).map(([subdomain]) => subdomain || 'the root organization')
  const numbers = [...new Set(absent.map(([, place]) => place.database))].join(', ')
  findings.push(
    problem(
      'directory',
      `leads to database ${numbers}, which cannot be reached, for ${names.join(', ')}${absent.length > 5 ? ', …' : ''}`,
      findings.some(({ result }) => result === 'problem')
        ? 'Make the databases above reachable.'
        : 'Name all databases of the installation in DATABASE_URLS.',
    ),
  )
  return findings
}

async function checkLatency({ settings, database, clock }: DoctorContext): Promise<Finding[]> {
  if (!isPostgresUrl(settings.DATABASE_URL) || database.value === null) return []
  const times: number[] = []
  let difference = 0
  for (let turn = 0; turn < 7; turn++) {
    const [before, startedAt] = [clock.now(), performance.now()]
    const [row] = await database.value.query('select extract(epoch from clock_timestamp())::double precision as "time"')
    const took = (performance.now() - startedAt) / 1000
    difference = Number(row?.['time']) - (before + took / 2)
    times.push(took)
  }
  const median = times.sort((one, other) => one - other)[3] ?? 0
  const milliseconds = `${(median * 1000).toFixed(1)} ms for a small statement`
  const seconds = Math.abs(difference).toFixed(1)
  return [
    median > SLOW
      ? warning(
          'latency',
          milliseconds,
          'Run the server and PostgreSQL in the same network: sending a message takes about a dozen statements.',
        )
      : ok('latency', milliseconds),
    Math.abs(difference) > CLOCK_TOLERANCE
      ? problem(
          'clock of PostgreSQL',
          `differs from the clock of this machine by ${seconds} seconds`,
          'Synchronize the clocks of both machines: timedatectl set-ntp true',
        )
      : ok('clock of PostgreSQL', `differs by ${seconds} seconds`),
  ]
}

export const databaseChecks: CheckGroup = {
  title: 'Database',
  isInTurn: true,
  checks: [
    { name: 'version', run: checkVersion },
    { name: 'served by', run: checkServers },
    { name: 'PostgreSQL', run: checkPostgres },
    { name: 'sessions', run: checkPooler },
    { name: 'NATS', run: checkNats },
    { name: 'replicas', run: checkReplicas },
    { name: 'further databases', run: checkFurtherDatabases },
    { name: 'latency', run: checkLatency },
  ],
}
