import { createHmac, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Settings } from '#config.ts'
import { callService } from '#lib/guarded-fetch.ts'
import { programVersion } from '#lib/process.ts'
import { FEATURE_LEVEL } from '#lib/protocol.ts'
import { findRealms } from '#realms/queries.ts'
import { type Realm, realmAddress, SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'

// Calls of the push service of PUSH_SERVICE_URL, in the protocol of the reference server. The service knows this server,
// its organizations and users by ids that derive from the secret of the server, and the server by a key of the same
// origin, so that nothing has to be stored. Requests contain credentials, so redirects are not followed.

export type ServiceContext = { settings: Settings; secret: KeyObject; signal?: AbortSignal }

/** The time limit of a request, in seconds. */
const TIME_LIMIT = 15

/** The answer of the service. `body` is {} if it is not JSON. `status` is null if there was no answer. */
export type PushAnswer = { status: number | null; body: z.output<typeof answerBody> }

const tokens = z.array(z.string()).catch([])

const answerBody = z
  .object({
    code: z.string().optional().catch(undefined),
    msg: z.string().optional().catch(undefined),
    /** Devices that Apple or Google no longer know. */
    deleted_devices: z.object({ android_devices: tokens, apple_devices: tokens }).optional().catch(undefined),
  })
  .catch({})

const derived = (secret: KeyObject, ...words: readonly (string | number)[]): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['push service', ...words]))
    .digest()

/** Returns an id in the form of a random UUID (version 4). */
function uuidOf(secret: KeyObject, ...words: readonly (string | number)[]): string {
  const bytes = derived(secret, ...words)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

const serverUuid = (secret: KeyObject): string => uuidOf(secret, 'server')
const serverKey = (secret: KeyObject): string => derived(secret, 'key').toString('hex')
const realmUuid = (secret: KeyObject, realmId: number): string => uuidOf(secret, 'realm', realmId)
const userUuid = (secret: KeyObject, userId: number): string => uuidOf(secret, 'user', userId)

/** Sends a form, or JSON, to the service. */
async function post(
  { settings, secret, signal }: ServiceContext,
  path: string,
  content: { form: Readonly<Record<string, string>> } | { json: object },
  isAuthenticated = true,
): Promise<PushAnswer> {
  const isForm = 'form' in content
  const credentials = Buffer.from(`${serverUuid(secret)}:${serverKey(secret)}`).toString('base64')
  const answer = await callService(
    {
      method: 'POST',
      url: `${settings.PUSH_SERVICE_URL}/api/v1/remotes/${path}`,
      headers: {
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        'user-agent': `ZulipServer/${programVersion} Parley`,
        ...(isAuthenticated && { authorization: `Basic ${credentials}` }),
      },
      body: isForm ? new URLSearchParams(content.form).toString() : JSON.stringify(content.json),
    },
    { timeLimit: TIME_LIMIT, privateHosts: privateHostsOf(settings), signal: signal ?? new AbortController().signal },
  )
  if (answer === null) return { status: null, body: {} }
  return { status: answer.status, body: answerBody.parse(jsonOf(answer.body)) }
}

/** The service that the operator has named may be on a private network. */
const privateHostsOf = ({ OUTGOING_WEBHOOK_PRIVATE_HOSTS, PUSH_SERVICE_URL }: Settings) => [
  ...OUTGOING_WEBHOOK_PRIVATE_HOSTS,
  new URL(PUSH_SERVICE_URL).hostname.replace(/^\[|\]$/g, ''),
]

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

export const isAccepted = ({ status }: PushAnswer): boolean => status === 200

/** Introduces the server to the service. It can be repeated, for example with another address of the operator. */
export function registerServer(context: ServiceContext, contactEmail: string): Promise<PushAnswer> {
  const { settings, secret } = context
  const form = {
    zulip_org_id: serverUuid(secret),
    zulip_org_key: serverKey(secret),
    hostname: new URL(settings.EXTERNAL_URL).host,
    contact_email: contactEmail,
  }
  return post(context, 'server/register', { form }, false)
}

/** Sends the service a list of the organizations of the server. It sends nothing about their users or messages. */
export async function sendRealms(context: ServiceContext, db: Db): Promise<PushAnswer> {
  const realms = (await findRealms(db)).map((realm) => toRealmJson(context, realm))
  const form = {
    realm_counts: '[]',
    installation_counts: '[]',
    realms: JSON.stringify(realms),
    version: JSON.stringify(programVersion),
    api_feature_level: JSON.stringify(FEATURE_LEVEL),
  }
  return post(context, 'server/analytics', { form })
}

const BUSINESS = 10

function toRealmJson({ settings, secret }: ServiceContext, { id, name, subdomain, createdAt, deactivatedAt }: Realm) {
  const { url } = realmAddress(subdomain, settings.EXTERNAL_URL)
  return {
    id,
    uuid: realmUuid(secret, id),
    uuid_owner_secret: derived(secret, 'owner of realm', id).toString('base64url'),
    host: new URL(url).host,
    url,
    name,
    org_type: BUSINESS,
    date_created: createdAt,
    deactivated: deactivatedAt !== null,
    is_system_bot_realm: subdomain === SYSTEM_SUBDOMAIN,
    authentication_methods: { Email: true },
  }
}

/**
 * Sends a request about a user. If the service does not know the organization yet, it gets a list of all of them, and the
 * request is sent again.
 */
async function postForUser(
  context: ServiceContext & { db: Db },
  path: string,
  content: Parameters<typeof post>[2],
): Promise<PushAnswer> {
  const answer = await post(context, path, content)
  if (answer.body.code !== 'MISSING_REMOTE_REALM') return answer
  const told = await sendRealms(context, context.db)
  return isAccepted(told) ? post(context, path, content) : told
}

export type Device = { service: 'apns' | 'fcm'; token: string; appId: string | null }

const KINDS = { apns: 1, fcm: 2 } as const

type Person = { id: number; realmId: number }

const identity = ({ secret }: ServiceContext, { id, realmId }: Person) => ({
  user_uuid: userUuid(secret, id),
  user_id: id,
  realm_uuid: realmUuid(secret, realmId),
})

/** Registers a device of a user with the service, or removes it there. */
export function postDevice(
  context: ServiceContext & { db: Db },
  what: 'register' | 'unregister',
  person: Person,
  { service, token, appId }: Device,
): Promise<PushAnswer> {
  const { user_id, ...ids } = identity(context, person)
  const form = {
    server_uuid: serverUuid(context.secret),
    ...ids,
    user_id: String(user_id),
    token,
    token_kind: String(KINDS[service]),
    ...(service === 'apns' && what === 'register' && { ios_app_id: appId ?? '' }),
  }
  return postForUser(context, `push/${what}`, { form })
}

export type Payloads = { apns_payload: object; gcm_payload: object; gcm_options: { priority: 'high' | 'normal' } }

/** Sends a notification, or its removal, to the devices of a user. */
export function postNotification(
  context: ServiceContext & { db: Db },
  person: Person,
  devices: readonly Device[],
  payloads: Payloads,
): Promise<PushAnswer> {
  const tokensOf = (kind: Device['service']) =>
    devices.filter(({ service }) => service === kind).map(({ token }) => token)
  return postForUser(context, 'push/notify', {
    json: {
      ...identity(context, person),
      ...payloads,
      android_devices: tokensOf('fcm'),
      apple_devices: tokensOf('apns'),
    },
  })
}

/** Sends a test notification to a device. */
export function postTest(
  context: ServiceContext & { db: Db },
  person: Person,
  { service, token }: Device,
  basePayload: object,
): Promise<PushAnswer> {
  return postForUser(context, 'push/test_notification', {
    json: { ...identity(context, person), token, token_kind: KINDS[service], base_payload: basePayload },
  })
}
