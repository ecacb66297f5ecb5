import type { Log } from '#lib/log.ts'
import { findUser } from '#people/user-queries.ts'
import { findRealm } from '#realms/queries.ts'
import { realmAddress } from '#realms/realm.ts'
import { findNotifiedMessage, type PushContext } from '../delivery/send-push-notice.ts'
import { MAX_REMOVED, messagePayloads, removalPayloads } from './payloads.ts'
import {
  deferMobilePush,
  deleteDevices,
  deleteMobilePushes,
  deleteOldMobilePushes,
  findDevices,
  findMobilePush,
  findRemovableIds,
  type MobilePush,
  saveSent,
} from './queries.ts'
import { isAccepted, type Payloads, type PushAnswer, postNotification } from './service.ts'

/** Seconds between a failed attempt and the next. After the last, the notification is dropped. */
const RETRY_DELAYS = [5, 30, 120, 600]

/**
 * Sends a notification to the devices of its user, or removes those of messages that were read meanwhile. Only one
 * request for a user is in progress. A failed notification is tried again a few times, a failed removal is not.
 */
export async function sendMobilePush(context: PushContext, push: MobilePush, signal: AbortSignal): Promise<void> {
  try {
    if (push.messageId === null) await sendRemoval(context, push.userId, signal)
    else if ((await findMobilePush(context.db, push.userId, push.messageId)) !== null)
      await sendMessage(context, push, push.messageId, signal)
  } catch (error) {
    context.log.error({ err: error, userId: push.userId }, 'Could not send a notification to a device')
    // Without another attempt at a later time, the job would repeat this at once: it pauses.
    if (push.messageId === null) throw error
    await retry(context, push, push.messageId)
  }
}

async function sendMessage(
  context: PushContext,
  push: MobilePush,
  messageId: number,
  signal: AbortSignal,
): Promise<void> {
  const { db, settings, transaction } = context
  const drop = () => transaction((tx) => deleteMobilePushes(tx, push.userId, [messageId]))
  const found = await findNotifiedMessage(context, push.userId, messageId)
  if (found === null) return drop()
  const { actor, message, shown, url } = found
  const payloads = messagePayloads(
    { actor, url, hidesContent: settings.PUSH_SERVICE_HIDES_CONTENT },
    shown,
    message.flags ?? 0,
  )
  const devices = await findDevices(db, push.userId)
  if (devices.length === 0) return drop()
  const answer = await postNotification({ ...context, signal }, actor, devices, payloads)
  if (signal.aborted && answer.status === null) return
  if (isAccepted(answer)) {
    await transaction(async (tx) => {
      await saveSent(tx, push)
      await deleteUnknownDevices(tx, push.userId, answer)
    })
    return
  }
  logFailure(context.log, push.userId, answer)
  if (isWorthRetry(answer)) await retry(context, push, messageId)
  else await drop()
}

const isWorthRetry = ({ status }: PushAnswer) => status === null || status === 429 || status >= 500

async function retry({ transaction }: PushContext, push: MobilePush, messageId: number): Promise<void> {
  const delay = RETRY_DELAYS[push.attempts]
  await transaction(async (tx) => {
    if (delay === undefined) await deleteMobilePushes(tx, push.userId, [messageId])
    else await deferMobilePush(tx, push, tx.now + delay)
  })
}

async function sendRemoval(context: PushContext, userId: number, signal: AbortSignal): Promise<void> {
  const { db, transaction, settings } = context
  const ids = await findRemovableIds(db, userId)
  const user = await findUser(db, userId)
  const realm = user === null ? null : await findRealm(db, user.realmId)
  const devices = await findDevices(db, userId)
  if (user !== null && realm !== null && user.deactivatedAt === null && devices.length > 0 && ids.length > 0) {
    const actor = { ...user, realm }
    const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
    const payloads: Payloads = removalPayloads({ actor, url }, ids.slice(0, MAX_REMOVED))
    const answer = await postNotification({ ...context, signal }, actor, devices, payloads)
    if (signal.aborted && answer.status === null) return
    if (!isAccepted(answer)) logFailure(context.log, userId, answer)
  }
  await transaction(async (tx) => {
    await deleteMobilePushes(tx, userId, ids)
    await deleteOldMobilePushes(tx, userId)
  })
}

async function deleteUnknownDevices(
  tx: Parameters<typeof deleteDevices>[0],
  userId: number,
  { body }: PushAnswer,
): Promise<void> {
  await deleteDevices(tx, userId, 'fcm', body.deleted_devices?.android_devices ?? [])
  await deleteDevices(tx, userId, 'apns', body.deleted_devices?.apple_devices ?? [])
}

function logFailure(log: Pick<Log, 'warn'>, userId: number, { status, body }: PushAnswer): void {
  const answer = { status, code: body.code?.slice(0, 100), msg: body.msg?.slice(0, 300) }
  log.warn({ userId, ...answer }, 'The push service refused a notification')
}
