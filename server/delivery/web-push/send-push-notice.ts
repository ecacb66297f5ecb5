import type { KeyObject } from 'node:crypto'
import type { Settings } from '../../config.ts'
import { findMissedMessages } from '../../messages/missed/find-missed.ts'
import { findNotifiableActor } from '../../messages/missed/notifiable-user.ts'
import type { MessageFormat } from '../../messages/reading/message-json.ts'
import { viewMessages } from '../../messages/reading/view-messages.ts'
import { realmAddress } from '../../organizations/realms/realm.ts'
import { guardedPost, type PostOutcome, type PostRequest } from '../../platform/net/guarded-fetch.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Db, RunTransaction } from '../../platform/storage/storage.ts'
import type { PushNotice, PushSubscription } from './notices/push-notice.ts'
import { deferPushNotice, deletePushNotice, deletePushNotices, isPushNoticePending } from './notices/queries.ts'
import { deletePushSubscription, findPushSubscription } from './notices/subscription-queries.ts'
import { type PushContent, pushContentOf } from './push-content.ts'
import { serverKeys } from './server-keys.ts'

/** All that it takes to tell browsers. */
export type PushContext = {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  settings: Settings
  secret: KeyObject
}

/** Seconds for an attempt. */
const TIME_LIMIT = 10

/** Seconds from an attempt that was not taken to the next, unless more are asked for, of which an hour is granted. */
const RETRY_DELAYS = [5, 30, 120]
const MAX_DELAY = 3600

/** Seconds for which the maker of a browser keeps a notice for one that is switched off; what is older is not sent. */
const LIFETIME = 86_400

const form: MessageFormat = {
  appliesMarkdown: true,
  allowsEmptyTopic: false,
  computesGravatar: false,
  extraEmojiType: 'zulip_extra_emoji',
}

/**
 * Tells a browser of a message, if its owner may read it, has not, and still wants to be told. What is not taken is tried
 * again some times; then nothing that waits for this browser is sent to it. A process that dies in between has the notice
 * sent once more: the browser shows it once. What is wrong with one browser is logged, and holds up no other.
 */
export async function sendPushNotice(room: PushContext, notice: PushNotice, signal: AbortSignal): Promise<void> {
  if (!(await isPushNoticePending(room.db, notice))) return
  const subscription = await findPushSubscription(room.db, notice.sessionId, room.clock.now())
  if (subscription === null) return end(room, notice)
  try {
    await attempt(room, notice, subscription, signal)
  } catch (error) {
    room.log.error({ err: error, ...factsOf(notice) }, 'A browser could not be told of a message')
    await retry(room, notice)
  }
}

const factsOf = ({ sessionId, messageId }: PushNotice) => ({ sessionId, messageId })

const end = ({ transaction }: PushContext, notice: PushNotice) => transaction((tx) => deletePushNotice(tx, notice))

async function attempt(
  room: PushContext,
  notice: PushNotice,
  subscription: PushSubscription,
  signal: AbortSignal,
): Promise<void> {
  const told = await findWords(room, subscription, notice)
  if (told === null) return end(room, notice)
  const request = await encrypted(room, subscription, told)
  const { OUTGOING_WEBHOOK_PRIVATE_HOSTS: privateHosts } = room.settings
  const posted = await guardedPost(request, { timeLimit: TIME_LIMIT, privateHosts, signal })
  if (posted.kind !== 'stopped') await conclude(room, notice, subscription, posted)
}

type Told = { words: PushContent; url: string }

async function findWords(
  { db, clock, settings }: PushContext,
  { userId }: PushSubscription,
  { messageId }: PushNotice,
): Promise<Told | null> {
  const now = clock.now()
  const actor = await findNotifiableActor(db, userId)
  if (actor === null) return null
  const [thread] = await findMissedMessages(db, actor, { medium: 'push', ids: [messageId] }, now)
  const message = thread?.messages[0]
  if (message === undefined || now - message.sentAt > LIFETIME) return null
  const [shown] = await viewMessages(db, actor, [message], form, now)
  if (shown === undefined) return null
  const { url } = realmAddress(actor.realm.subdomain, settings.EXTERNAL_URL)
  const hidesDirect = !actor.settings.pm_content_in_desktop_notifications
  return { words: pushContentOf(shown, { readerId: actor.id, url, topic: message.topic, hidesDirect }), url }
}

/** As the browser alone can read it (RFC 8291), from keys that it takes notices from (RFC 8292). */
async function encrypted(
  { secret }: PushContext,
  { endpoint, p256dh, auth }: PushSubscription,
  { words, url }: Told,
): Promise<PostRequest> {
  // Loaded when the first browser is told: servers without any do without.
  const { default: webPush } = await import('web-push')
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(words),
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

/** Whom the maker of a browser may turn to, who takes a secure address or one for mail. */
const subjectOf = (url: string) => (url.startsWith('https:') ? url : `mailto:parley@${new URL(url).hostname}`)

async function conclude(
  room: PushContext,
  notice: PushNotice,
  subscription: PushSubscription,
  posted: Exclude<PostOutcome, { kind: 'stopped' }>,
): Promise<void> {
  if (posted.kind === 'answer' && isTaken(posted)) return end(room, notice)
  const facts = { ...factsOf(notice), ...outcomeOf(posted) }
  if (posted.kind === 'answer' && isGone(posted)) {
    room.log.info(facts, 'A browser wants no more notices')
    await room.transaction((tx) => deletePushSubscription(tx, subscription))
    return
  }
  room.log.warn(facts, 'A browser could not be told of messages')
  if (isWorthAgain(posted)) return retry(room, notice, posted.kind === 'answer' ? posted.retryAfter : null)
  await room.transaction((tx) => deletePushNotices(tx, notice.sessionId))
}

async function retry({ transaction }: PushContext, notice: PushNotice, asked: number | null = null): Promise<void> {
  const delay = RETRY_DELAYS[notice.attempts]
  await transaction(async (tx) => {
    if (delay === undefined) await deletePushNotices(tx, notice.sessionId)
    else await deferPushNotice(tx, notice, tx.now + Math.min(Math.max(delay, asked ?? 0), MAX_DELAY))
  })
}

const outcomeOf = (posted: PostOutcome) =>
  posted.kind === 'answer' ? { status: posted.status, answer: posted.body.slice(0, 500) } : { outcome: posted.kind }

const isTaken = ({ status }: { status: number }) => status >= 200 && status <= 299
const isGone = ({ status }: { status: number }) => status === 404 || status === 410

const isWorthAgain = (posted: PostOutcome) =>
  posted.kind === 'answer'
    ? posted.status === 429 || posted.status >= 500
    : posted.kind === 'timeout' || posted.kind === 'unreachable'
