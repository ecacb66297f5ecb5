import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type App, type AppOptions, openApp } from '#app.ts'
import type { Channel } from '#channels/channel.ts'
import { type NewChannel, saveChannel } from '#channels/queries.ts'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import type { AdmissionLimits } from '#http/wire/admission.ts'
import { type TestClock, testClock } from '#lib/clock.ts'
import type { FetchMedia, FetchPage } from '#lib/guarded-fetch.ts'
import { type Log, openLog } from '#lib/log.ts'
import { type Random, systemRandom } from '#lib/secrets.ts'
import { type CollectedMail, type MailTransport, openMailbox } from '#mail/delivery.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { saveUser, saveUserSettings } from '#people/user-queries.ts'
import type { UserSettings } from '#people/user-settings.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { RealmSettings } from '#realms/realm-settings.ts'
import { Role } from '#rules/role.ts'
import { type FileStore, openFileStore } from '#storage/files.ts'
import type { Transaction } from '#storage/storage.ts'
import { testDatabaseUrl } from './database.ts'
import { inject } from './inject.ts'
import { recordEvents } from './recorded-events.ts'
import type { Coverage } from './reference/coverage.ts'
import { observeResponses } from './response-observer.ts'

/** The time at which the clock of every test starts: 2030-01-05 10:00 UTC. */
export const START = 1893837600

/** The milliseconds for which requests may wait: no request is refused because a busy machine delays the test. */
const PATIENCE = 60_000

/** A parsed response, with its status as `status`. */
export type Body = { status: number; result: string; msg: string; code?: string; [field: string]: any }

/** An account of a test, with its actions. */
export type Person = {
  readonly id: number
  readonly email: string
  readonly apiKey: string
  readonly realm: Realm
  /** Calls an endpoint: strings are sent unchanged, all else as JSON; `undefined` is omitted. */
  call(route: string, params?: Record<string, unknown>, headers?: Record<string, string>): Promise<Body>
  /** Like `call`, and fails the test if the call is not successful. */
  succeed(route: string, params?: Record<string, unknown>): Promise<Body>
}

export type PersonOptions = {
  realm?: Realm
  role?: Role
  settings?: Partial<UserSettings>
  email?: string
  fullName?: string
  botType?: number
  owner?: Person
  joinedAt?: number
}

type ChannelOptions = Partial<Omit<NewChannel, 'realmId' | 'name'>> & { realm?: Realm }

export type ReceivedEvent = { type: string; [field: string]: unknown }

/** A server with one organization, whose clock is frozen at START. */
export type Chat = {
  readonly app: App
  readonly clock: TestClock
  readonly settings: Settings
  readonly realm: Realm
  user(name: string, options?: PersonOptions): Promise<Person>
  channel(name: string, subscribers: readonly Person[], options?: ChannelOptions): Promise<Channel>
  organization(subdomain: string): Promise<Realm>
  change(settings: Partial<RealmSettings>): Promise<void>
  /** Returns the events that a person received, oldest first, without ids. */
  eventsOf(person: Person): Promise<ReceivedEvent[]>
  /** Returns all sent emails, oldest first; waits for the mail worker. */
  mail(): Promise<CollectedMail[]>
  /** Sends any request; with no credentials except for those in its headers. */
  request(request: {
    method: string
    path: string
    headers?: Record<string, string>
    body?: string | Buffer
    /** The address from which the connection comes. */
    remoteAddress?: string
  }): Promise<{ status: number; headers: Record<string, unknown>; body: string; bytes: Buffer }>
}

export type StartOptions = {
  settings?: Partial<Settings>
  files?: FileStore
  seen?: Coverage
  isDisposable?: boolean
  /** True if attempts, such as wrong passwords, are limited even without RATE_LIMITING, as in production. */
  limitsAttempts?: boolean
  limits?: Partial<AdmissionLimits>
  /** Additional pages, which take precedence over those of every server. */
  pages?: AppOptions['pages']
  log?: Log
  /** The source of keys and names; the generator of the operating system if omitted. */
  random?: Random
  /** Replaces the function that makes exports. */
  makeExport?: AppOptions['makeExport']
  /** The syncing of the log of a SQLite file, if it differs from the default. */
  sqliteLog?: AppOptions['sqliteLog']
  /** A transport that replaces the mailbox. */
  transport?: MailTransport
  /** The websites that messages may link to; none if omitted. */
  fetchPage?: FetchPage
  fetchMedia?: FetchMedia
  /** The origins of services such as Zoom, if they differ from the real ones. */
  serviceOrigins?: AppOptions['serviceOrigins']
  /** The folder with a built web client; none if omitted. */
  webClient?: string
}

const openChats = new Set<Chat>()
after(async () => {
  for (const chat of openChats) await chat.app.close()
})

/**
 * Starts a server for the test and closes the previous one. The observed parts of the reference documentation are added
 * to `seen`.
 */
export async function startChat(options: StartOptions = {}): Promise<Chat> {
  for (const chat of openChats) await chat.app.close()
  openChats.clear()

  const clock = testClock(START)
  const mailbox = openMailbox(clock)
  const answers = observeResponses(options.seen)
  const settings = completeSettings({
    ...readSettings({}),
    DATABASE_URL: await testDatabaseUrl(),
    // The jobs of a starting server use all connections, and each takes longer to open than most tests.
    DATABASE_CONNECTIONS: 3,
    EXTERNAL_URL: 'http://parley.test',
    RATE_LIMITING: false,
    INVITES_MEMBER_DAILY_MAX: 0,
    INVITES_ADMINISTRATOR_DAILY_MAX: 0,
    INVITES_ADDRESS_PAUSE_MINUTES: 0,
    LOG_LEVEL: 'error',
    ...options.settings,
  })
  const app = await openApp({
    settings,
    clock,
    random: options.random ?? systemRandom,
    log: options.log ?? openLog(settings.LOG_LEVEL),
    transport: options.transport ?? mailbox,
    fetchPage: options.fetchPage ?? (async () => null),
    fetchMedia: options.fetchMedia ?? (async () => null),
    files: options.files ?? openFileStore(null),
    passwordCost: MIN_PASSWORD_COST,
    responseObserver: answers.observeResponse,
    isDisposable: options.isDisposable ?? false,
    limitsAttempts: options.limitsAttempts ?? false,
    timeouts: { lastRequest: 0.02 },
    limits: { maxWait: PATIENCE, ...options.limits },
    ...(options.pages && { pages: options.pages }),
    webClient: options.webClient ?? '/nowhere',
    ...(options.serviceOrigins && { serviceOrigins: options.serviceOrigins }),
    ...(options.makeExport && { makeExport: options.makeExport }),
    ...(options.sqliteLog && { sqliteLog: options.sqliteLog }),
  })
  app.storage.onCommit(answers.observeCommit)
  app.storage.onPublished(answers.observeEvent)
  const recordedEvents = recordEvents(app.storage)
  const { transaction } = app.services
  const realm = await transaction((tx) => createOrganization(tx, '', 'Example'))

  const chat: Chat = {
    app,
    clock,
    settings,
    realm,
    organization: (subdomain) => transaction((tx) => createOrganization(tx, subdomain, subdomain)),
    user: (name, given = {}) => enrol(chat, name, given),
    channel: (name, subscribers, { realm: home = realm, ...given } = {}) =>
      transaction((tx) => saveTestChannel(tx, { realmId: home.id, name, ...given }, subscribers)),
    change: (changed) => transaction((tx) => saveRealmSettings(tx, realm.id, changed)),
    async eventsOf(person) {
      answers.assertNone()
      const events = await recordedEvents(person.realm.id)
      return events.filter(({ audience }) => audience.includes(person.id)).map(({ event }) => event as ReceivedEvent)
    },
    async mail() {
      await app.jobs.missedMail.settled()
      await app.jobs.mail.settled()
      return mailbox.mails()
    },
    async request({ method, path, headers = {}, body, remoteAddress = '127.0.0.1' }) {
      const response = await inject(app.http, {
        ...{ method, url: path, headers, remoteAddress },
        ...(body !== undefined && { payload: body }),
      })
      answers.assertNone()
      return { status: response.statusCode, headers: response.headers, body: response.body, bytes: response.rawPayload }
    },
  }
  openChats.add(chat)
  return chat
}

/** Saves a public channel with the subscribers, without events. */
async function saveTestChannel(
  tx: Transaction,
  given: Pick<NewChannel, 'realmId' | 'name'> & Partial<NewChannel>,
  subscribers: readonly { id: number }[],
): Promise<Channel> {
  const channel = await saveChannel(tx, {
    description: '',
    renderedDescription: '',
    isPrivate: false,
    isWebPublic: false,
    isHistoryShared: true,
    creatorId: null,
    settings: {},
    ...given,
  })
  for (const { id } of subscribers) {
    const row = { color: '#76ce90', isMuted: 0, isPinned: 0, settings: '{}', unsubscribedAt: null } as const
    await tx
      .insertInto('subscriptions')
      .values({ userId: id, channelId: channel.id, subscribedAt: tx.now, ...row })
      .execute()
  }
  return channel
}

async function enrol(chat: Chat, name: string, options: PersonOptions): Promise<Person> {
  const realm = options.realm ?? chat.realm
  const { user, apiKey } = await chat.app.services.transaction(async (tx) => {
    const user = await saveUser(tx, {
      realmId: realm.id,
      deliveryEmail: options.email ?? `${name}@example.com`,
      fullName: options.fullName ?? name[0]?.toUpperCase() + name.slice(1),
      role: options.role ?? Role.member,
      ...(options.botType !== undefined && { botType: options.botType }),
      ...(options.owner && { botOwnerId: options.owner.id }),
      joinedAt: options.joinedAt ?? START - 30 * 86_400,
    })
    if (options.settings !== undefined) await saveUserSettings(tx, user.id, options.settings)
    return { user, apiKey: await issueApiKey(tx, user.id, 'test') }
  })
  return personOf(chat, realm, user, apiKey)
}

/** Returns an existing account with its API calls. */
export function personOf(
  chat: Chat,
  realm: Realm,
  user: { id: number; deliveryEmail: string },
  apiKey: string,
): Person {
  const host = realm.subdomain === '' ? 'parley.test' : `${realm.subdomain}.parley.test`
  const authorization = `Basic ${Buffer.from(`${user.deliveryEmail}:${apiKey}`).toString('base64')}`

  const call: Person['call'] = async (route, params = {}, headers = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const form = encode(params)
    const inQuery = method === 'GET' || method === 'HEAD'
    const response = await chat.request({
      method,
      path: `/api/v1${path}${inQuery && form !== '' ? `?${form}` : ''}`,
      headers: {
        host,
        authorization,
        ...(inQuery ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(inQuery ? {} : { body: form }),
    })
    return { status: response.status, ...(response.body === '' ? {} : JSON.parse(response.body)) } as Body
  }
  return {
    id: user.id,
    email: user.deliveryEmail,
    apiKey,
    realm,
    call,
    async succeed(route, params) {
      const body = await call(route, params)
      assert.equal(body.result, 'success', `${route}: ${body.msg}`)
      return body
    },
  }
}

function encode(params: Record<string, unknown>): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  return form.toString()
}
