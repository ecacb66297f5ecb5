import assert from 'node:assert/strict'
import { chmod, open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { freePort } from '../../test/free-port.ts'
import { openScriptedRelay } from '../../test/mail/scripted-relay.ts'
import { nginxAbsent, startNginx } from '../../test/nginx.ts'
import { createDatabase, SETTINGS, startPostgres } from '../../test/postgres.ts'
import { runCommand } from '../../test/processes/command.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { startVersitygw, versitygwAbsent } from '../../test/versitygw.ts'
import { openApp } from '../app.ts'
import { ask } from './doctor/ask.ts'
import type { Resolver } from './doctor/check.ts'
import { examineInstallation, type Section } from './doctor-command.ts'

const missing = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }))

/** Resolves names of `parley.test` to this machine, and knows the given records. */
const resolverOf = (records: Record<string, string[]> = {}): Resolver => ({
  addresses: (host) => (host.endsWith('parley.test') ? Promise.resolve(['127.0.0.1']) : missing()),
  texts: async (name) => records[name] ?? missing(),
  mailServers: async (domain) => records[`MX ${domain}`] ?? missing(),
})

/** Returns settings of an installation in a new folder. */
async function settingsInFolder(changes: Partial<Settings> = {}): Promise<Settings> {
  const DATA_DIR = await temporaryFolder()
  return completeSettings({
    ...readSettings({}),
    DATA_DIR,
    DATABASE_URL: join(DATA_DIR, 'parley.db'),
    EXTERNAL_URL: '',
    PORT: await freePort(),
    LOG_LEVEL: 'silent',
    ...changes,
  })
}

/** Starts a server in this process. */
async function serve(context: TestContext, settings: Settings): Promise<void> {
  const app = await openApp({ settings, log: openLog('silent') })
  context.after(() => app.close())
  await app.http.listen({ host: '127.0.0.1', port: settings.PORT })
}

const examine = (settings: Settings, resolver = resolverOf()) =>
  examineInstallation(settings, { resolver, isDeep: false, isSlow: false, mailTo: null })

/** Returns what the checks of a name found: the result, and the text. */
const found = (sections: readonly Section[], name: string) =>
  sections
    .flatMap(({ findings }) => findings)
    .filter((finding) => finding.name === name)
    .map(({ result, found: text }) => `${result}: ${text}`)
    .join('\n')

const HOST = 'chat.parley.test'

/** Starts a server behind nginx with these directives. */
async function behindNginx(
  context: TestContext,
  directives: (port: number) => string,
  changes: Partial<Settings> = {},
) {
  const port = await freePort()
  const proxy = await startNginx([HOST], directives(port))
  context.after(() => proxy[Symbol.asyncDispose]())
  const settings = await settingsInFolder({ PORT: port, EXTERNAL_URL: `https://${HOST}:${proxy.port}`, ...changes })
  await serve(context, settings)
  return settings
}

test('a proxy that passes everything on is fine', { skip: nginxAbsent }, async (context) => {
  const settings = await behindNginx(
    context,
    (port) => `proxy_pass http://127.0.0.1:${port}; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $http_host; proxy_set_header X-Real-IP $remote_addr; proxy_read_timeout 75s;
      proxy_set_header X-Forwarded-For $remote_addr; client_max_body_size 30m;`,
    { TRUST_X_REAL_IP: true },
  )

  const sections = await examine(settings)
  const byList = await examine({ ...settings, TRUST_X_REAL_IP: false, TRUSTED_PROXIES: '127.0.0.0/8' })

  assert.match(found(byList, 'client address'), /^ok: arrives as 127\.0\.0\.1/)
  assert.match(found(sections, 'reach'), /^ok: https:.* leads to this server$/)
  assert.match(found(sections, 'Host header'), /^ok/)
  assert.match(found(sections, 'client address'), /^ok: arrives as 127\.0\.0\.1/)
  assert.match(found(sections, 'long polls'), /^ok/)
  assert.match(found(sections, 'uploads'), /^ok: files of 25 MiB pass/)
  assert.match(found(sections, 'HSTS'), /^ok: max-age=/)
  assert.match(found(sections, 'settings of the server'), /^ok/)
  assert.match(
    found(sections, 'certificate'),
    /^problem: not trusted for chat\.parley\.test: DEPTH_ZERO_SELF_SIGNED_CERT/,
  )
  // Nothing forbids clients to connect to the server directly.
  assert.match(found(sections, 'direct connections'), /^problem: the server answers at 127\.0\.0\.1/)
})

test('a proxy that loses headers, ends long polls, refuses uploads and believes clients is described', {
  skip: nginxAbsent,
}, async (context) => {
  const settings = await behindNginx(
    context,
    (port) => `proxy_pass http://127.0.0.1:${port}; proxy_read_timeout 1500ms; client_max_body_size 1m;
      proxy_hide_header Strict-Transport-Security;`,
    { TRUST_X_REAL_IP: true },
  )

  const sections = await examine(settings)

  assert.match(found(sections, 'Host header'), /^problem: arrives as 127\.0\.0\.1:\d+ instead of chat\.parley\.test/)
  assert.match(found(sections, 'client address'), /^problem: clients can claim any address/)
  assert.match(found(sections, 'long polls'), /^problem: the proxy ends requests that wait for 2 seconds, with 504/)
  assert.match(found(sections, 'uploads'), /^problem: the proxy refuses files of 25 MiB/)
  assert.match(found(sections, 'HSTS'), /^warning/)
})

test('an EXTERNAL_URL that was left as it was behind a proxy is a problem once someone signs in', {
  skip: nginxAbsent,
}, async (context) => {
  const settings = await settingsInFolder()
  const proxy = await startNginx(
    [HOST],
    `proxy_pass http://127.0.0.1:${settings.PORT}; proxy_set_header Host $http_host;`,
  )
  context.after(() => proxy[Symbol.asyncDispose]())
  await serve(context, settings)

  const before = await examine(settings)
  await ask(`https://${HOST}:${proxy.port}/login/`, { address: '127.0.0.1' })
  const sections = await examine(settings)

  assert.equal(found(before, 'EXTERNAL_URL'), '')
  assert.match(
    found(sections, 'EXTERNAL_URL'),
    /^problem: http:\/\/localhost:.*someone signs in at chat\.parley\.test:\d+:/,
  )
})

test('a host without an address, and one that leads elsewhere, are problems', async (context) => {
  const elsewhere = await settingsInFolder({ EXTERNAL_URL: `http://${HOST}` })
  const other = await settingsInFolder()
  await serve(context, elsewhere)
  await serve(context, other)
  const misled = { ...elsewhere, EXTERNAL_URL: `http://${HOST}:${other.PORT}` }

  const nowhere = await examine({ ...elsewhere, EXTERNAL_URL: 'https://chat.wrong.test' })
  const sections = await examine(misled)

  assert.match(found(nowhere, 'DNS'), /^problem: chat\.wrong\.test has no address/)
  assert.match(found(sections, 'reach'), /^problem: something else answers at http:.*404/)
  assert.match(
    found(sections, 'settings of the server'),
    /^warning: the running server has other values of EXTERNAL_URL/,
  )
})

test('PostgreSQL that does not wait for the disk, or has too few connections, is a problem', async (context) => {
  const postgres = await startPostgres({ ...SETTINGS, max_connections: '12', statement_timeout: '20s' })
  context.after(() => postgres.stop())
  const settings = await settingsInFolder({ DATABASE_URL: await createDatabase(postgres.url, 'parley') })

  const sections = await examine(settings)

  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'])
    assert.match(found(sections, name), /^problem: off: a power cut/)
  assert.match(
    found(sections, 'connections'),
    /^problem: 14 are needed for 1 server and commands, and \d are available/,
  )
  assert.match(found(sections, 'privileges'), /^warning: the role is a superuser/)
  assert.match(found(sections, 'statement_timeout'), /^warning: 20000 ms: backups/)
  assert.match(found(sections, 'sessions'), /^ok/)
  assert.match(found(sections, 'clock of PostgreSQL'), /^ok/)
  assert.equal(found(sections, 'version'), 'warning: the database is empty')

  const wrong = await examine({ ...settings, DATABASE_URL: 'postgres://postgres@127.0.0.1:1/parley' })
  assert.match(found(wrong, 'connection'), /^problem: connect ECONNREFUSED/)
})

test('a damaged database, a folder that all may read and missing backups are found, and nothing is changed', async () => {
  const settings = await settingsInFolder({ BACKUP_DIR: '/nowhere' })
  const app = await openApp({ settings, log: openLog('silent') })
  await app.close()
  await chmod(settings.DATA_DIR, 0o755)
  await writeFile(join(settings.DATA_DIR, 'notes.txt'), 'for all', { mode: 0o644 })

  const whole = await examine(settings)
  const file = await open(settings.DATABASE_URL, 'r+')
  await file.write(Buffer.alloc(4096, 'x'), 0, 4096, 8192)
  await file.close()
  const damaged = await examine(settings)

  assert.match(found(whole, 'integrity'), /^ok/)
  assert.match(found(whole, 'permissions'), /^warning: all accounts of this machine can read .*notes\.txt/)
  assert.match(found(whole, 'schedule'), /^problem: BACKUP_DIR, \/nowhere, does not exist/)
  assert.match(found(whole, 'running'), /^skipped: connect ECONNREFUSED/)
  assert.match(`${found(damaged, 'integrity')}${found(damaged, 'connection')}`, /^problem: .*(damaged|malformed)/)
})

test('a relay that refuses the login, and missing records in DNS, are described without the password', async () => {
  await using relay = await openScriptedRelay()
  relay.behave({ auth: { code: 535, text: 'Who is s3cret?' } })
  const mail = { SMTP_URL: `smtp://me:s3cret@127.0.0.1:${relay.port}`, MAIL_FROM: 'noreply@chat.parley.test.de' }
  const settings = await settingsInFolder(mail)

  const sections = await examine(settings, resolverOf({ 'MX chat.parley.test.de': ['mail.parley.test.de'] }))

  assert.match(found(sections, 'relay'), /^problem: .*535/)
  assert.match(found(sections, 'SPF'), /^warning: chat\.parley\.test\.de has no SPF record/)
  assert.match(found(sections, 'DMARC'), /^warning/)
  assert.match(found(sections, 'MX'), /^ok: mail\.parley\.test\.de/)
  assert.doesNotMatch(JSON.stringify(sections), /s3cret/)
})

test('a store of files is written, read and cleaned up again, and a wrong key is named', {
  skip: versitygwAbsent,
}, async () => {
  const store = await startVersitygw()
  const given = readSettings(store.environment())
  const settings = await settingsInFolder()
  const { FILES_URL, AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = given
  const inStore = { ...settings, FILES_URL, AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }

  const sections = await examine(inStore)
  const refused = await examine({ ...inStore, AWS_SECRET_ACCESS_KEY: 'not this one' })

  assert.equal(found(sections, 'store: files'), 'ok: can be written, read and deleted')
  assert.match(found(refused, 'store'), /^problem: .*AWS_SECRET_ACCESS_KEY/)
  assert.deepEqual(
    (await readdir(store.bucketFolder)).filter((name) => !name.startsWith('.')),
    [],
  )
})

test('the command prints a summary or JSON, and its exit code is 1 if there is a problem', async () => {
  const folder = await temporaryFolder()
  const none = { DATA_DIR: join(folder, 'none') }

  const text = await runCommand(['doctor'], none)
  const json = await runCommand(['doctor', '--json'], { ...none, PORT: 'http' })
  const wrong = await runCommand(['doctor', '--mail-to', 'nobody'], none)

  assert.deepEqual([text.code, json.code, wrong.code], [1, 1, 2])
  assert.match(text.output, /✗ data folder +\S+\/none does not exist\n +→ Check DATA_DIR/)
  assert.match(
    text.output,
    /\n\d+ problems?, \d+ warnings?, \d+ ok, \d+ skipped\. Do what the lines with → behind ✗ say first/,
  )
  assert.deepEqual(JSON.parse(json.output).counts, { problem: 1, warning: 0, ok: 0, skipped: 0 })
  assert.equal(JSON.parse(json.output).checks[0].name, 'PORT')
})
