import { lookup } from 'node:dns'
import { openDeliveryJob } from '#lib/jobs/delivery-job.ts'
import type { Job } from '#lib/jobs/job.ts'
import { type FetchPage, fetchPage } from '#lib/net/fetch-page.ts'
import { limitLookups } from '#lib/net/limited-lookup.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { addLinkPreviews } from './add-link-previews.ts'
import { openLinkPreviews } from './find-link-preview.ts'
import { findFirstRequests } from './queries.ts'

type Parts = {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  /** Used in tests instead of requests to websites. */
  fetchPage: FetchPage | undefined
  isResponsible: () => boolean
}

/** The time limit for one website, in seconds. */
const TIME_LIMIT = 5

/**
 * The limits of concurrent name lookups, which attackers can make hang. Lookups may hold at most two of the four
 * threads that also read files and hash passwords.
 */
const LOOKUPS = { pending: 2, waiting: 20 }

function openFetchPublicPage(): FetchPage {
  const resolve = limitLookups(lookup, LOOKUPS)
  return (url, signal) => fetchPage(url, { timeLimit: TIME_LIMIT, privateHosts: [], signal, resolve })
}

/** Adds previews to messages that link to websites. It handles the messages of each sender one at a time, in order. */
export function openLinkPreviewJob(parts: Parts): Job {
  const findPreview = openLinkPreviews({ clock: parts.clock, fetchPage: parts.fetchPage ?? openFetchPublicPage() })
  return openDeliveryJob({
    ...parts,
    findDue: async () => ({ due: await findFirstRequests(parts.db), nextAt: null }),
    receiverIdOf: ({ senderId }) => senderId,
    deliver: (request, signal) => addLinkPreviews({ ...parts, findPreview }, request, signal),
    failureMessage: 'Could not add previews of websites to messages',
  })
}
