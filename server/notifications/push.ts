import { z } from 'zod'
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
import type { Transaction } from '#storage/storage.ts'
import { browserKeys, invalidBrowserKeys, requireBrowserKeys, serverKeys } from './delivery/push-keys.ts'
import { deletePushToken, hasPushToken, type PushService, savePushToken } from './delivery/push-token-queries.ts'
import { type PushContext, sendPushNotice } from './delivery/send-push-notice.ts'

// Notifications of browsers: the subscriptions of sessions, and the job that sends them. Their content is encrypted
// for the browser, and each browser gets one at a time, in order. A browser that the push service no longer knows is
// forgotten.

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

const deviceNotRecognized = refusal('INVALID_PUSH_DEVICE_TOKEN', 400, 'Device not recognized')
const pushNotConfigured = refusal('BAD_REQUEST', 400, 'Push notifications are not configured on this server.')

const token = z.string().describe('At most 4,096 characters.')

const postAppleToken = endpoint({
  route: 'POST /users/me/apns_device_token',
  summary: 'Register an Apple device for push notifications',
  description: 'The token is saved, but no notifications are sent yet, as `server_settings` indicates.',
  who: 'human',
  params: { token, appid: z.string() },
  refuses: [badTokenLength, badAppleToken, badAppId],
  async handle({ transaction, actor }, given) {
    const added = { service: 'apns', token: given.token, appId: given.appid } as const
    await transaction((tx) => addPushToken(tx, actor, added))
    return {}
  },
})

const deleteAppleToken = endpoint({
  route: 'DELETE /users/me/apns_device_token',
  summary: 'Unregister an Apple device',
  who: 'human',
  params: { token },
  refuses: [badTokenLength, badAppleToken, noSuchToken],
  async handle({ transaction, actor }, given) {
    await transaction((tx) => removePushToken(tx, actor, { service: 'apns', token: given.token }))
    return {}
  },
})

const postAndroidToken = endpoint({
  route: 'POST /users/me/android_gcm_reg_id',
  summary: 'Register an Android device for push notifications',
  description: 'The same as for Apple devices.',
  who: 'human',
  params: { token },
  refuses: [badTokenLength],
  async handle({ transaction, actor }, given) {
    const added = { service: 'fcm', token: given.token, appId: null } as const
    await transaction((tx) => addPushToken(tx, actor, added))
    return {}
  },
})

const deleteAndroidToken = endpoint({
  route: 'DELETE /users/me/android_gcm_reg_id',
  summary: 'Unregister an Android device',
  who: 'human',
  params: { token },
  refuses: [badTokenLength, noSuchToken],
  async handle({ transaction, actor }, given) {
    await transaction((tx) => removePushToken(tx, actor, { service: 'fcm', token: given.token }))
    return {}
  },
})

const testNotification = endpoint({
  route: 'POST /mobile_push/test_notification',
  summary: 'Send a test notification to your devices',
  description: 'Always refused, because this server sends no push notifications.',
  who: 'human',
  params: { token: z.string().optional().describe('The device. If omitted, all of your devices.') },
  refuses: [deviceNotRecognized, pushNotConfigured],
  async handle({ db, actor }, given) {
    if (given.token !== undefined && !(await hasPushToken(db, actor.id, given.token))) throw deviceNotRecognized()
    throw pushNotConfigured()
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
