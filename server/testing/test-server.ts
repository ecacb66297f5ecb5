import { type App, type AppOptions, openApp } from '#app.ts'
import { completeSettings, isPostgresUrl, readSettings, type Settings } from '#config.ts'
import { testClock } from '#lib/clock.ts'
import { isWebAddress } from '#lib/guarded-fetch.ts'
import { openLog } from '#lib/log.ts'
import { isPermittedHost } from '#lib/public-address.ts'
import { randomLetters, systemRandom } from '#lib/secrets.ts'
import { openMailbox } from '#mail/delivery.ts'
import { fetchMediaWith, fetchPageWith } from '#messages/jobs.ts'
import { MIN_PASSWORD_COST, openPasswords } from '#people/password-hashes.ts'
import { findRealms } from '#realms/queries.ts'
import { openFileStore } from '#storage/files.ts'
import { buildTestDispatch } from './calls/dispatch.ts'
import { interceptWithFaults } from './calls/faults.ts'
import type { Fault } from './calls/test-call.ts'
import { createWorld, type SharedPassword } from './calls/test-world.ts'
import { fetchGalleryMedia, fetchGalleryPage } from './sample/gallery-content.ts'

/** A disposable server. Tests control its clock and settings, and read its emails. It listens on this machine only. */
type TestServer = { url: string; port: number; close(): Promise<void> }

/**
 * Starts a disposable server. Port 0 selects a free port; `database` is `memory`, the path of a file, or
 * `postgres://…`. Uploaded files are stored next to a database file, and in memory otherwise. They are never stored in
 * the DATA_DIR of the environment, because this server would delete the files that another server has there.
 */
export async function startTestServer(options: { port: number; database: string }): Promise<TestServer> {
  const settings = testSettings(options)
  const clock = testClock()
  const random = systemRandom
  const mailbox = openMailbox(clock)
  const text = randomLetters(random, 16)
  const password = { text, hash: await openPasswords(random, MIN_PASSWORD_COST).hash(text) }

  const faults: Fault[] = []
  const contextOf = (app: App) => ({ app, clock, mailbox, password, firstSettings: { ...settings }, faults })

  const app: App = await openApp({
    settings,
    clock,
    random,
    log: openLog(settings.LOG_LEVEL),
    transport: mailbox,
    ...fetchFromHere(settings),
    ...(isPostgresUrl(options.database) && { files: openFileStore(null) }),
    passwordCost: MIN_PASSWORD_COST,
    isDisposable: true,
    // When a test stops the server, it has received all its responses.
    timeouts: { lastRequest: 0.02 },
    pages: (app) => buildTestDispatch(contextOf(app)),
    interception: interceptWithFaults({ clock, faults, services: () => app.services }),
  })
  await warmUp(app, password)
  const { port } = await app.http.listen({ host: '127.0.0.1', port: options.port })
  settings.EXTERNAL_URL = `http://localhost:${port}`
  return { url: `http://127.0.0.1:${port}`, port, close: () => app.close() }
}

/** Fetches from the sites of the gallery, and from other servers on this machine. No other site is contacted. */
function fetchFromHere(settings: Settings): Pick<AppOptions, 'fetchPage' | 'fetchMedia'> {
  const isHere = (url: URL) =>
    isWebAddress(url) && isPermittedHost(url.hostname, settings.EXTERNAL_CONTENT_PRIVATE_HOSTS)
  const [fetchPage, fetchMedia] = [fetchPageWith(settings, isHere), fetchMediaWith(settings, isHere)]
  return {
    fetchPage: (url, ...rest) => (isHere(new URL(url)) ? fetchPage : fetchGalleryPage)(url, ...rest),
    fetchMedia: (url, ...rest) => (isHere(new URL(url)) ? fetchMedia : fetchGalleryMedia)(url, ...rest),
  }
}

const rehearsal = new Error('The rehearsal is over')

/** Creates a test world and rolls it back, so that the first world for a test is created as quickly as later ones. */
async function warmUp(app: App, password: SharedPassword): Promise<void> {
  const { db, transaction } = app.services
  const rehearse = transaction(async (tx) => {
    await createWorld(tx, {}, password)
    throw rehearsal
  })
  await rehearse.catch((error: unknown) => {
    if (error !== rehearsal) throw error
  })
  // On PostgreSQL the ids of a rolled-back transaction are not used again.
  const isNew = (await findRealms(db)).length === 1
  if (isNew) await app.reset()
}

const THIS_MACHINE = ['localhost', '127.0.0.0/8', '::1']

/** Returns the settings for tests. Only the log level comes from the environment. */
function testSettings({ port, database }: { port: number; database: string }): Settings {
  const fromEnvironment = readSettings()
  return completeSettings({
    ...readSettings({}),
    LOG_LEVEL: fromEnvironment.LOG_LEVEL,
    PORT: port,
    DATABASE_URL: database,
    DATA_DIR: `${database}.data`,
    SECRET_KEY: 'of a disposable server, where links need no secret',
    RATE_LIMITING: false,
    INVITES_MEMBER_DAILY_MAX: 0,
    INVITES_ADMINISTRATOR_DAILY_MAX: 0,
    INVITES_ADDRESS_PAUSE_MINUTES: 0,
    ALLOW_WEAK_PASSWORDS: true,
    EXTERNAL_URL: `http://localhost:${port || 1}`,
    MAIL_FROM: 'noreply@localhost',
    OUTGOING_WEBHOOK_PRIVATE_HOSTS: THIS_MACHINE,
    EXTERNAL_CONTENT_PRIVATE_HOSTS: THIS_MACHINE,
  })
}
