import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { type Clock, dayOf, SECONDS_PER_DAY } from '#lib/clock.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import type { Storage } from '#storage/storage.ts'
import {
  countMessagesOfOthers,
  countNextMessages,
  findAllMessageDays,
  findLastActivity,
  findMessageDays,
  findUploadDays,
  replaceMessageDays,
} from './administration/usage-queries.ts'

// The numbers of messages and active users of an organization by day. A job counts a day once it is over, so that the
// page does not read all messages.

export { countMessagesOfOthers, findAllMessageDays, replaceMessageDays }

const MAX_DAYS = 365

const usageDay = z.strictObject({
  date: z.string().describe('The day in UTC, such as `2026-03-14`.'),
  messages: z
    .int()
    .describe(
      'Messages that were sent on that day, except those that were deleted within about an hour, before they were counted.',
    ),
  stored_bytes: z.int().describe('The size of the stored files at the end of that day, without those deleted since.'),
})

export const getUsage = endpoint({
  route: 'GET /realm/usage',
  summary: 'Get the usage of the organization',
  description: 'Requires an administrator. On a busy server, the last messages are counted within an hour.',
  who: 'human',
  params: {
    days: z.int().min(1).max(MAX_DAYS).default(30).describe('The number of days, the last of which is today.'),
  },
  returns: {
    people: z.strictObject({
      total: z.int().describe('Active accounts, without bots.'),
      active_1_day: z.int().describe('People who used a client in the last 24 hours.'),
      active_7_days: z.int(),
      active_30_days: z.int(),
    }),
    days: z.array(usageDay).describe('The oldest day comes first.'),
    upload_quota_bytes: z.int().nullable().describe('Null when there is no limit.'),
  },
  refuses: [mustBeAdministrator],
  async handle({ db, actor, clock, settings }, { days }) {
    requireAdministrator(actor)
    const now = clock.now()
    const first = dayOf(now) - days + 1
    const [activity, messages, uploads] = await Promise.all([
      findLastActivity(db, actor.realmId),
      findMessageDays(db, actor.realmId, first),
      findUploadDays(db, actor.realmId, first),
    ])
    const activeIn = (period: number) =>
      activity.filter((time) => time !== null && time > now - period * SECONDS_PER_DAY).length
    let stored = uploads.get(first - 1) ?? 0
    return {
      people: {
        total: activity.length,
        active_1_day: activeIn(1),
        active_7_days: activeIn(7),
        active_30_days: activeIn(30),
      },
      days: Array.from({ length: days }, (_, index) => {
        const day = first + index
        stored += uploads.get(day) ?? 0
        const date = new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10)
        return { date, messages: messages.get(day) ?? 0, stored_bytes: stored }
      }),
      upload_quota_bytes: settings.UPLOAD_QUOTA_MIB === 0 ? null : settings.UPLOAD_QUOTA_MIB * 1024 * 1024,
    }
  },
})

/** Seconds until the first run, and between two runs. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 3600

type Parts = { storage: Pick<Storage, 'transaction' | 'isLeader' | 'onBecomeLeader'>; clock: Clock; log: Log }

/** Opens the job that counts the messages of each day, for the page that shows the usage of an organization. */
export function openMessageCountJob({ storage, clock, log }: Parts): Job {
  let dueAt = clock.now() + FIRST_RUN_DELAY
  const { run, stop, isStopped, history } = openPeriodicTask({
    clock,
    work: runWhenDue,
    isResponsible: storage.isLeader,
    onFailure: (error) => log.error({ err: error }, 'Failed to count messages'),
  })

  async function runWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // A longer wait means that the clock was set back.
    if (wait > 0 && wait <= RUN_INTERVAL) return dueAt
    while (!isStopped() && storage.isLeader() && (await storage.transaction(countNextMessages))) await yieldToOthers()
    dueAt = clock.now() + RUN_INTERVAL
    return dueAt
  }

  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, history }
}
