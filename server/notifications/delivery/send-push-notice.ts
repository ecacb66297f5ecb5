import type { KeyObject } from 'node:crypto'
import type { Settings } from '#config.ts'
import { viewerOf } from '#groups/viewer.ts'
import type { Clock } from '#lib/clock.ts'
import { guardedPost, type PostOutcome, type PostRequest } from '#lib/guarded-fetch.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import type { MessageJson, UserMessage } from '#messages/message.ts'
import { findNotifiableActor } from '#messages/notifiable-users.ts'
import {
  deferPushNotice,
  deletePushNotice,
  deletePushNotices,
  deletePushSubscription,
  findPushSubscription,
  isPushNoticePending,
  type PushNotice,
  type PushSubscription,
} from '#messages/notification-queues.ts'
import { viewMessages } from '#messages/view-messages.ts'
import { lacksRequiredFactor } from '#people/second-factors.ts'
import type { Actor } from '#people/users.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { findMissedMessages } from '../content/find-missed-messages.ts'
import { NOTIFICATION_FORMAT } from '../content/message-text.ts'
import { type PushContent, pushContentOf } from '../push-content.ts'
import { serverKeys } from './push-keys.ts'

export type PushContext = {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  meter?: Meter | undefined
  settings: Settings
  secret: KeyObject
}

/** The time limit of an attempt, in seconds. */
const TIME_LIMIT = 10

/** Seconds between a failed attempt and the next. The push service may request longer delays, up to MAX_DELAY. */
const RETRY_DELAYS = [5, 30, 120]
const MAX_DELAY = 3600

/**
 * Seconds for which the push service keeps a notification for an offline browser. Older messages cause no
 * notifications.
 */
const LIFETIME = 86_400

/**
 * Notifies a browser of a message if its user may read the message, has not read it, and still wants notifications. A
 * notification that fails is tried again a few times; then all pending notifications of the browser are dropped. If the
 * process crashes in between, the notification may be sent twice, but the browser shows it once. An error is logged and
 * does not hold up other browsers.
 */
export async function sendPushNotice(context: PushContext, notice: PushNotice, signal: AbortSignal): Promise<void> {
  if (!(await isPushNoticePending(context.db, notice))) return
  const subscription = await findPushSubscription(context.db, notice.sessionId, context.clock.now())
  if (subscription === null) return remove(context, notice)
  try {
    await attempt(context, notice, subscription, signal)
  } catch (error) {
    context.log.error({ err: error, ...factsOf(notice) }, 'Could not send a push notification')
    await retry(context, notice)
  }
}

const factsOf = ({ sessionId, messageId }: PushNotice) => ({ sessionId, messageId })

const remove = ({ transaction }: PushContext, notice: PushNotice) => transaction((tx) => deletePushNotice(tx, notice))

async function attempt(
  context: PushContext,
  notice: PushNotice,
  subscription: PushSubscription,
  signal: AbortSignal,
): Promise<void> {
  const notification = await findNotification(context, subscription, notice)
  if (notification === null) return remove(context, notice)
  const request = await encrypted(context, subscription, notification)
  const { OUTGOING_WEBHOOK_PRIVATE_HOSTS: privateHosts } = context.settings
  const outcome = await guardedPost(request, { timeLimit: TIME_LIMIT, privateHosts, signal })
  if (outcome.kind !== 'stopped') await conclude(context, notice, subscription, outcome)
}

type Notification = { content: PushContent; url: string }

async function findNotification(
  context: PushContext,
  { userId }: PushSubscription,
  { messageId }: PushNotice,
): Promise<Notification | null> {
  const found = await findNotifiedMessage(context, userId, messageId)
  if (found === null || (await lacksRequiredFactor(context.db, found.actor, context.clock.now()))) return null
  const { actor, message, shown, url } = found
  const hidesDirect = !actor.settings.pm_content_in_desktop_notifications
  return { content: pushContentOf(shown, { readerId: actor.id, url, topic: message.topic, hidesDirect }), url }
}

/** A message about which a user is notified, as the user sees it, and the URL of the organization. */
type NotifiedMessage = { actor: Actor; message: UserMessage; shown: MessageJson; url: string }

/** Returns null if the user may not read the message, has read it, wants no notification, or if the message is old. */
export async function findNotifiedMessage(
  { db, clock, settings }: Pick<PushContext, 'db' | 'clock' | 'settings'>,
  userId: number,
  messageId: number,
): Promise<NotifiedMessage | null> {
  const now = clock.now()
  const actor = await findNotifiableActor(db, userId)
  if (actor === null) return null
  const [thread] = await findMissedMessages(db, actor, { medium: 'push', ids: [messageId] }, now)
  const message = thread?.messages[0]
  if (message === undefined || now - message.sentAt > LIFETIME) return null
  const [shown] = await viewMessages(viewerOf(db, actor, now), [message], NOTIFICATION_FORMAT)
  if (shown === undefined) return null
  return { actor, message, shown, url: realmAddress(actor.realm.subdomain, settings.EXTERNAL_URL).url }
}

/** Encrypts the notification for the browser (RFC 8291) and signs it with the keys of this server (RFC 8292). */
async function encrypted(
  { secret }: PushContext,
  { endpoint, p256dh, auth }: PushSubscription,
  { content, url }: Notification,
): Promise<PostRequest> {
  // This is loaded with the first notification, because many servers never send one.
  const { default: webPush } = await import('web-push')
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(content),
    {
      vapidDetails: { subject: subjectOf(url), ...serverKeys(secret) },
      TTL: LIFETIME,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
    },
  )
  const text = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  return { url: endpoint, headers: { ...text, 'user-agent': 'Parley' }, body }
}

/** Returns the contact for the push service, which accepts an https or a mailto address. */
const subjectOf = (url: string) => (url.startsWith('https:') ? url : `mailto:parley@${new URL(url).hostname}`)

async function conclude(
  context: PushContext,
  notice: PushNotice,
  subscription: PushSubscription,
  outcome: Exclude<PostOutcome, { kind: 'stopped' }>,
): Promise<void> {
  if (outcome.kind === 'answer' && isAccepted(outcome)) {
    context.meter?.deliveryEnded('browser_push', 'sent')
    return remove(context, notice)
  }
  const facts = { ...factsOf(notice), ...outcomeOf(outcome) }
  if (outcome.kind === 'answer' && isGone(outcome)) {
    context.meter?.deliveryEnded('browser_push', 'expired')
    context.log.info(facts, 'Removed a push subscription that has expired')
    await context.transaction((tx) => deletePushSubscription(tx, subscription))
    return
  }
  context.meter?.deliveryEnded('browser_push', 'failed')
  context.log.warn(facts, 'A push notification failed')
  if (isWorthRetry(outcome)) return retry(context, notice, outcome.kind === 'answer' ? outcome.retryAfter : null)
  await context.transaction((tx) => deletePushNotices(tx, notice.sessionId))
}

async function retry(
  { transaction }: PushContext,
  notice: PushNotice,
  requestedDelay: number | null = null,
): Promise<void> {
  const delay = RETRY_DELAYS[notice.attempts]
  await transaction(async (tx) => {
    if (delay === undefined) await deletePushNotices(tx, notice.sessionId)
    else await deferPushNotice(tx, notice, tx.now + Math.min(Math.max(delay, requestedDelay ?? 0), MAX_DELAY))
  })
}

const outcomeOf = (outcome: PostOutcome) =>
  outcome.kind === 'answer' ? { status: outcome.status, answer: outcome.body.slice(0, 500) } : { outcome: outcome.kind }

const isAccepted = ({ status }: { status: number }) => status >= 200 && status <= 299
const isGone = ({ status }: { status: number }) => status === 404 || status === 410

const isWorthRetry = (outcome: PostOutcome) =>
  outcome.kind === 'answer'
    ? outcome.status === 429 || outcome.status >= 500
    : outcome.kind === 'timeout' || outcome.kind === 'unreachable'
