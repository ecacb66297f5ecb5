import type { KeyObject } from 'node:crypto'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { type Clock, SECONDS_PER_DAY } from '#lib/clock.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { t } from '#lib/text.ts'
import { queueMail } from '#mail/outbox.ts'
import {
  type EmailBlock,
  type EmailTemplates,
  type RenderedEmail,
  renderLayout,
  type TemplateContext,
} from '#mail/render-email.ts'
import { findNotifiableActor } from '#messages/notifiable-users.ts'
import { viewMessages } from '#messages/view-messages.ts'
import type { Actor } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Storage } from '#storage/storage.ts'
import {
  type ChannelActivity,
  keepChannelActivity,
  loadChannelActivity,
  MAX_PERIOD,
} from './content/channel-activity.ts'
import {
  claimDigest,
  type DigestCandidate,
  findDigestCandidates,
  findRealmIdsWithDigests,
} from './content/digest-queries.ts'
import { type Digest, findDigest, type HotTopic } from './content/find-digest.ts'
import {
  contentHiddenReason,
  conversationName,
  conversationPath,
  NOTIFICATION_FORMAT,
  toMailContent,
} from './content/message-text.ts'
import { digestLink } from './unsubscribe-link.ts'

// Weekly emails to users who have been away. A digest is rendered when it is sent and shows only messages that the
// user may read at that time. Of several runs and nodes, one queues it.

export const DIGEST_TEMPLATE = 'digest'

const digestData = z.object({ userId: z.int(), since: z.number() })

const isEmptyDigest = ({ topics, newChannels }: Digest): boolean => topics.length === 0 && newChannels.length === 0

/**
 * The template of digests. A digest shows messages that the user may read when it is sent, and new channels. It is
 * canceled if there are neither.
 */
export function digestTemplates(secret: KeyObject, clock: Clock): EmailTemplates {
  const findActivity = keepChannelActivity(clock)
  return {
    async [DIGEST_TEMPLATE](data, context) {
      const { userId, since } = digestData.parse(data)
      const actor = await findNotifiableActor(context.db, userId)
      if (actor === null || actor.deliveryEmail.toLowerCase() !== context.mail.recipient.toLowerCase()) return null
      if (!actor.settings.enable_digest_emails || !actor.realm.settings.digest_emails_enabled) return null
      const { db, now } = context
      const activity = await findActivity(db, actor.realmId, since)
      const digest = await findDigest(db, actor, activity, { since, now })
      return isEmptyDigest(digest) ? null : renderDigest(secret, context, actor, digest)
    },
  }
}

async function renderDigest(
  secret: KeyObject,
  context: TemplateContext,
  actor: Actor,
  digest: Digest,
): Promise<RenderedEmail> {
  const { realm } = actor
  const { hostName, url } = realmAddress(realm.subdomain, context.db.settings.EXTERNAL_URL)
  const reason = contentHiddenReason(realm, actor.settings.message_content_in_email_notifications)
  const subject = t('What you missed in {realm}', { realm: realm.name })
  const blocks =
    reason === null ? await withContent(context, actor, digest, url) : withoutContent(digest, reason, actor, url)
  const unsubscribeUrl = url + digestLink.pathOf(secret, actor)
  const page = renderLayout({
    heading: subject,
    blocks,
    footer: t('You received this email because you have an account at {url} and have not visited it for a while.', {
      url,
    }),
    footerLink: { label: t('Unsubscribe from weekly digests'), url: unsubscribeUrl },
  })
  return { subject, ...page, list: { name: realm.name, host: hostName }, unsubscribe: unsubscribeUrl }
}

async function withContent(
  context: TemplateContext,
  actor: Actor,
  { topics, newChannels }: Digest,
  url: string,
): Promise<EmailBlock[]> {
  const blocks: EmailBlock[] = []
  for (const topic of topics) blocks.push(...(await topicBlocks(context, actor, topic, url)))
  if (newChannels.length === 0) return blocks
  return [
    ...blocks,
    { heading: t('New channels') },
    { items: newChannels.map(({ name }) => `#${name}`) },
    { button: t('Browse channels'), url: `${url}/channels` },
  ]
}

async function topicBlocks(
  { db, now }: TemplateContext,
  actor: Actor,
  { first, others }: HotTopic,
  url: string,
): Promise<EmailBlock[]> {
  const shown = await viewMessages(viewerOf(db, actor, now), first, NOTIFICATION_FORMAT)
  const head = shown[0]
  if (head === undefined) return []
  return [
    { heading: conversationName(head, actor.id) },
    ...shown.map(({ sender_full_name, content }) => ({ from: sender_full_name, quote: toMailContent(content, url) })),
    ...(others > 0 ? [t('{others, plural, one {# more message} other {# more messages}}', { others })] : []),
    { button: t('Open the conversation'), url: url + conversationPath(head, first[0]?.topic ?? '', actor.id) },
  ]
}

function withoutContent({ topics, newChannels }: Digest, reason: string, { realm }: Actor, url: string): EmailBlock[] {
  const [conversations, channels] = [topics.length, newChannels.length]
  return [
    ...(conversations > 0
      ? [
          t(
            'There are new messages in {conversations, plural, one {a busy conversation} other {# busy conversations}}.',
            { conversations },
          ),
        ]
      : []),
    ...(channels > 0
      ? [t('There {channels, plural, one {is a new channel} other {are # new channels}}.', { channels })]
      : []),
    reason,
    { button: t('Open {realm}', { realm: realm.name }), url },
  ]
}

/** Seconds until the first run, and seconds between two runs. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 3600

/** Seconds without activity after which users get digests, as on the reference server. */
const MIN_ABSENCE = 5 * SECONDS_PER_DAY

/**
 * The minimum number of seconds between two digests of a user. It is less than a week, because runs are not always at
 * the same time of day.
 */
const MIN_INTERVAL = 6 * SECONDS_PER_DAY

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
  const { run, stop, isStopped, history } = openPeriodicTask({
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
  return { wake: () => void run(), settled: run, close: stop, history }
}

/** Returns the day of the week in UTC; 0 is Monday, as in the API. */
const weekdayOf = (time: number) => (new Date(time * 1000).getUTCDay() + 6) % 7
