import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Settings } from '#config.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { type Job, MAX_DELIVERIES_AT_ONCE, openDeliveryJob } from '#lib/jobs.ts'
import {
  deletePushSubscription,
  findDuePushNotices,
  findPushSubscription,
  savePushSubscription,
} from '#messages/notification-queues.ts'
import type { Actor } from '#people/users.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { browserKeys, invalidBrowserKeys, requireBrowserKeys, serverKeys } from './delivery/push-keys.ts'
import { deletePushToken, hasPushToken, type PushService, savePushToken } from './delivery/push-token-queries.ts'
import { type PushContext, sendPushNotice } from './delivery/send-push-notice.ts'
import { basePayload } from './mobile/payloads.ts'
import { findDevices, findDueMobilePushes } from './mobile/queries.ts'
import { sendMobilePush } from './mobile/send.ts'
import {
  type Device,
  isAccepted,
  type PushAnswer,
  postDevice,
  postTest,
  registerServer,
  type ServiceContext,
  sendRealms,
} from './mobile/service.ts'

// Notifications of browsers and mobile apps. Browsers have subscriptions, by their sessions; their content is encrypted
// for the browser, and each gets one at a time, in order. The devices of apps are registered with the push service of
// PUSH_SERVICE_URL, if there is one. Browsers and devices that a push service no longer knows are forgotten.

const badTokenLength = refusal('BAD_REQUEST', 400, 'Empty or invalid length token', { field: 'token' })
const badAppleToken = refusal('BAD_REQUEST', 400, 'Invalid APNS token', { field: 'token' })
const noSuchToken = refusal('BAD_REQUEST', 400, 'Token does not exist')
const badAppId = refusal('BAD_REQUEST', 400, 'Invalid app ID', { field: 'appid' })

const MAX_TOKEN_LENGTH = 4096

const APP_ID = /^[.a-zA-Z0-9-]{1,255}$/

/** Matches Base64, which includes hexadecimal digits. Other characters in a token are ignored. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Saves the token of one of the actor's devices. If it already exists, only its app id is updated. */
async function addPushToken(
  tx: Transaction,
  actor: Actor,
  given: { service: PushService; token: string; appId: string | null },
): Promise<void> {
  requireToken(given)
  if (given.appId !== null && !APP_ID.test(given.appId)) throw badAppId()
  await savePushToken(tx, actor.id, given)
}

async function removePushToken(
  tx: Transaction,
  actor: Actor,
  given: { service: PushService; token: string },
): Promise<void> {
  requireToken(given)
  if (!(await deletePushToken(tx, actor.id, given))) throw noSuchToken()
}

function requireToken({ service, token }: { service: PushService; token: string }): void {
  if (token === '' || token.length > MAX_TOKEN_LENGTH) throw badTokenLength()
  if (service === 'apns' && !BASE64.test(token.replace(/[^A-Za-z0-9+/=]/g, ''))) throw badAppleToken()
}

const pushServiceFailed = refusal('BAD_GATEWAY', 502, 'The push service could not be reached. Try again later.')
const pushServiceRefused = refusal('BAD_REQUEST', 400, 'The push service refused the device: {reason}')

type TokenCall = { db: Db; secret: KeyObject; settings: Settings; actor: Actor }

/** Registers a device with the push service. Refuses unless the service accepts it. */
async function requireRegistered(call: TokenCall, device: Device): Promise<void> {
  if (call.settings.PUSH_SERVICE_URL === '') return
  requireToken(device)
  requireAccepted(await postDevice(call, 'register', call.actor, device))
}

function requireAccepted(answer: PushAnswer): void {
  if (isAccepted(answer)) return
  if (answer.status === null || answer.status >= 500) throw pushServiceFailed()
  throw pushServiceRefused({ reason: answer.body.msg ?? String(answer.status) })
}

/** Removes a device from the push service. If that fails, the service no longer gets notifications for it anyway. */
async function unregister(call: TokenCall, device: Omit<Device, 'appId'>): Promise<void> {
  if (call.settings.PUSH_SERVICE_URL === '') return
  await postDevice(call, 'unregister', call.actor, { ...device, appId: null })
}

const serviceRefusals = [pushServiceFailed, pushServiceRefused]

const invalidRemoteToken = refusal('INVALID_REMOTE_PUSH_DEVICE_TOKEN', 400, 'Device not recognized by the push bouncer')
const deviceNotRecognized = refusal('INVALID_PUSH_DEVICE_TOKEN', 400, 'Device not recognized')
const pushNotConfigured = refusal('BAD_REQUEST', 400, 'Push notifications are not configured on this server.')

const token = z.string().describe('At most 4,096 characters.')

const postAppleToken = endpoint({
  route: 'POST /users/me/apns_device_token',
  summary: 'Register an Apple device for push notifications',
  description:
    'If the server has a push service, as `push_notifications_enabled` of `server_settings` says, the device is registered there. Otherwise the token is only saved.',
  who: 'human',
  params: { token, appid: z.string() },
  refuses: [badTokenLength, badAppleToken, badAppId, ...serviceRefusals],
  async handle(call, given) {
    const added = { service: 'apns', token: given.token, appId: given.appid } as const
    if (!APP_ID.test(added.appId)) throw badAppId()
    await requireRegistered(call, added)
    await call.transaction((tx) => addPushToken(tx, call.actor, added))
    return {}
  },
})

const deleteAppleToken = endpoint({
  route: 'DELETE /users/me/apns_device_token',
  summary: 'Unregister an Apple device',
  who: 'human',
  params: { token },
  refuses: [badTokenLength, badAppleToken, noSuchToken],
  async handle(call, given) {
    const removed = { service: 'apns', token: given.token } as const
    await call.transaction((tx) => removePushToken(tx, call.actor, removed))
    await unregister(call, removed)
    return {}
  },
})

const postAndroidToken = endpoint({
  route: 'POST /users/me/android_gcm_reg_id',
  summary: 'Register an Android device for push notifications',
  description: 'The same as for Apple devices.',
  who: 'human',
  params: { token },
  refuses: [badTokenLength, ...serviceRefusals],
  async handle(call, given) {
    const added = { service: 'fcm', token: given.token, appId: null } as const
    await requireRegistered(call, added)
    await call.transaction((tx) => addPushToken(tx, call.actor, added))
    return {}
  },
})

const deleteAndroidToken = endpoint({
  route: 'DELETE /users/me/android_gcm_reg_id',
  summary: 'Unregister an Android device',
  who: 'human',
  params: { token },
  refuses: [badTokenLength, noSuchToken],
  async handle(call, given) {
    const removed = { service: 'fcm', token: given.token } as const
    await call.transaction((tx) => removePushToken(tx, call.actor, removed))
    await unregister(call, removed)
    return {}
  },
})

const testNotification = endpoint({
  route: 'POST /mobile_push/test_notification',
  summary: 'Send a test notification to your devices',
  description: 'Refused if the server has no push service.',
  who: 'human',
  params: { token: z.string().optional().describe('The device. If omitted, all of your devices.') },
  refuses: [deviceNotRecognized, pushNotConfigured, invalidRemoteToken, ...serviceRefusals],
  async handle(call, given) {
    const { db, actor, settings } = call
    if (given.token !== undefined && !(await hasPushToken(db, actor.id, given.token))) throw deviceNotRecognized()
    if (settings.PUSH_SERVICE_URL === '') throw pushNotConfigured()
    const { url } = realmAddress(actor.realm.subdomain, settings.EXTERNAL_URL)
    const devices = await findDevices(db, actor.id)
    for (const device of devices.filter(({ token: own }) => given.token === undefined || own === given.token)) {
      const answer = await postTest(call, actor, device, basePayload({ actor, url }))
      if (answer.body.code === invalidRemoteToken.code) throw invalidRemoteToken()
      requireAccepted(answer)
    }
    return {}
  },
})

export const pushTokenEndpoints = [
  postAppleToken,
  deleteAppleToken,
  postAndroidToken,
  deleteAndroidToken,
  testNotification,
]

const noSession = refusal('BAD_REQUEST', 400, 'Log in with the browser that should show notifications')
const noSubscription = refusal('BAD_REQUEST', 400, 'This browser has no push subscription')

const getSubscription = endpoint({
  route: 'GET /web_push/subscription',
  summary: 'Get the push subscription of this browser',
  who: 'human',
  returns: {
    public_key: z.string().describe('The public key of the server for push subscriptions, in base64url.'),
    endpoint: z.string().nullable().describe('The push address of this browser; null if it has no subscription.'),
  },
  async handle({ db, clock, session, secret }) {
    const subscription = session === null ? null : await findPushSubscription(db, session.id, clock.now())
    return { public_key: serverKeys(secret).publicKey, endpoint: subscription?.endpoint ?? null }
  },
})

const putSubscription = endpoint({
  route: 'PUT /web_push/subscription',
  summary: 'Subscribe this browser to push notifications',
  description:
    'The browser shows notifications while no page is open, for as long as you are logged in there. Your settings for mobile ' +
    'notifications apply. Only the browser can read the notifications.',
  who: 'human',
  params: browserKeys,
  refuses: [noSession, invalidBrowserKeys],
  async handle({ transaction, actor, session }, given) {
    if (session === null) throw noSession()
    const browser = requireBrowserKeys(given)
    await transaction((tx) => savePushSubscription(tx, { sessionId: session.id, userId: actor.id, ...browser }))
    return {}
  },
})

const deleteSubscription = endpoint({
  route: 'DELETE /web_push/subscription',
  summary: 'Unsubscribe this browser from push notifications',
  who: 'human',
  refuses: [noSession, noSubscription],
  async handle({ transaction, session }) {
    if (session === null) throw noSession()
    const isDeleted = await transaction(async (tx) => {
      const subscription = await findPushSubscription(tx.db, session.id, tx.now)
      return subscription !== null && (await deletePushSubscription(tx, subscription))
    })
    if (!isDeleted) throw noSubscription()
    return {}
  },
})

export const webPushEndpoints = [getSubscription, putSubscription, deleteSubscription]

/** Notifies the devices of users by the push service, and removes notifications of messages that were read. */
export function openMobilePushJob(context: PushContext & { isResponsible: () => boolean }): Job | null {
  if (context.settings.PUSH_SERVICE_URL === '') return null
  return openDeliveryJob({
    ...context,
    findDue: (now) => findDueMobilePushes(context.db, now, 2 * MAX_DELIVERIES_AT_ONCE),
    receiverIdOf: ({ userId }) => userId,
    deliver: (push, signal) => sendMobilePush(context, push, signal),
    failureMessage: 'Could not read or write notifications for devices',
  })
}

/** Registers the server and its organizations with the push service. Returns why that failed; null if it did not. */
export async function registerWithPushService(
  context: ServiceContext,
  db: Db,
  contactEmail: string,
): Promise<string | null> {
  for (const step of [() => registerServer(context, contactEmail), () => sendRealms(context, db)]) {
    const answer = await step()
    if (answer.status === null) return 'it could not be reached'
    if (!isAccepted(answer)) return answer.body.msg ?? `it answered with ${answer.status}`
  }
  return null
}

/** Notifies browsers while no page is open in them. Each browser gets one message at a time, in order. */
export function openPushJob(context: PushContext & { isResponsible: () => boolean }): Job {
  return openDeliveryJob({
    ...context,
    findDue: (now) => findDuePushNotices(context.db, now, 2 * MAX_DELIVERIES_AT_ONCE),
    receiverIdOf: ({ sessionId }) => sessionId,
    deliver: (notice, signal) => sendPushNotice(context, notice, signal),
    failureMessage: 'Could not read or write push notifications',
  })
}
