import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Job } from '#lib/jobs/job.ts'
import { openPeriodicTask } from '#lib/jobs/periodic-task.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import { queueMail } from '#mail/outbox.ts'
import { findNotifiableActor } from '#messages/notices/notifiable-user.ts'
import { findRealm } from '#realms/queries.ts'
import type { Storage } from '#storage/storage.ts'
import { type ChannelActivity, loadChannelActivity, MAX_PERIOD } from './channel-activity.ts'
import { DIGEST_TEMPLATE, isEmptyDigest } from './digest-template.ts'
import { findDigest } from './find-digest.ts'
import { claimDigest, type DigestCandidate, findDigestCandidates, findRealmIdsWithDigests } from './queries.ts'

/** Seconds until the first run, and seconds between two runs. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 3600

const DAY = 86_400

/** Seconds without activity after which users get digests, as on the reference server. */
const MIN_ABSENCE = 5 * DAY

/**
 * The minimum number of seconds between two digests of a user. It is less than a week, because runs are not always at
 * the same time of day.
 */
const MIN_INTERVAL = 6 * DAY

type Parts = {
  storage: Pick<Storage, 'db' | 'transaction' | 'isLeader' | 'onBecomeLeader'>
  /** True if an SMTP server is configured. Without one, no digests are prepared. */
  hasRelay: boolean
  clock: Clock
  log: Log
}

/** Queues weekly digests for users who have been away, on the weekday that their organization chose, in UTC. */
export function openDigestJob({ storage, hasRelay, clock, log }: Parts): Job {
  const { db, transaction, isLeader } = storage
  let dueAt = clock.now() + FIRST_RUN_DELAY
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
    clock,
    work: runWhenDue,
    isResponsible: isLeader,
    onFailure: (error) => log.error({ err: error }, 'Failed to prepare digests'),
  })

  async function runWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // A longer wait means that the clock was set back.
    if (wait > 0 && wait <= RUN_INTERVAL) return dueAt
    if (hasRelay) for (const realmId of await findRealmIdsWithDigests(db)) await prepareIn(realmId)
    dueAt = clock.now() + RUN_INTERVAL
    return dueAt
  }

  async function prepareIn(realmId: number): Promise<void> {
    const now = clock.now()
    const realm = await findRealm(db, realmId)
    if (realm?.settings.digest_weekday !== weekdayOf(now)) return
    const times = { activeBefore: now - MIN_ABSENCE, preparedBefore: now - MIN_INTERVAL }
    const candidates = await findDigestCandidates(db, realmId, times)
    if (candidates.length === 0) return
    const activity = await loadChannelActivity(db, realmId, now - MAX_PERIOD)
    for (const candidate of candidates) {
      if (isStopped() || !isLeader()) return
      await prepareFor(candidate, activity, now)
      await yieldToOthers()
    }
  }

  async function prepareFor({ id, seenUntil }: DigestCandidate, activity: ChannelActivity, now: number): Promise<void> {
    const actor = await findNotifiableActor(db, id)
    if (actor === null) return
    const since = Math.max(seenUntil, now - MAX_PERIOD)
    const isEmpty = isEmptyDigest(await findDigest(db, actor, activity, { since, now }))
    await transaction(async (tx) => {
      if (!(await claimDigest(tx, id, now - MIN_INTERVAL)) || isEmpty) return
      const data = { userId: id, since }
      await queueMail(tx, { realmId: actor.realmId, recipient: actor.deliveryEmail, letter: DIGEST_TEMPLATE, data })
    })
  }

  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}

/** Returns the day of the week in UTC; 0 is Monday, as in the API. */
const weekdayOf = (time: number) => (new Date(time * 1000).getUTCDay() + 6) % 7
