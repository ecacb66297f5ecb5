import type { KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { findChannel } from '#channels/queries.ts'
import { isInSetting, viewerOf } from '#groups/viewer.ts'
import type { Clock } from '#lib/clock.ts'
import { type Job, openDueJob, type PeriodicTaskOptions } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { t } from '#lib/text.ts'
import { type QueuedMail, queueMails } from '#mail/outbox.ts'
import {
  type EmailBlock,
  type EmailTemplates,
  type RenderedEmail,
  renderLayout,
  type TemplateContext,
} from '#mail/render-email.ts'
import { Flag } from '#messages/flags.ts'
import type { MessageJson } from '#messages/message.ts'
import {
  AWAY_AFTER,
  deletePendingMails,
  findNextPendingMail,
  findNotifiableActor,
  hasAccountInOtherRealm,
  type NotificationMedium,
  receivesMessageEvents,
  savePendingMails,
} from '#messages/notifiable-users.ts'
import { findPushSubscriberIds, savePushNotices } from '#messages/notification-queues.ts'
import { viewMessages } from '#messages/view-messages.ts'
import type { Actor } from '#people/users.ts'
import { realmAddress } from '#realms/realm.ts'
import { stringList, stringsIn } from '#storage/sql.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { findMissedMessages, type MissedConversation } from './content/find-missed-messages.ts'
import {
  contentHiddenReason,
  conversationName,
  conversationPath,
  NOTIFICATION_FORMAT,
  toMailContent,
} from './content/message-text.ts'
import { replyAddressOf, saveReplyAddress } from './reply-addresses.ts'
import { missedMailLink } from './unsubscribe-link.ts'

// Emails about missed messages: scheduling them for users whose clients stopped fetching, and rendering them when
// they are sent. A message that was read, deleted or hidden in the meantime is left out, and an email without
// messages is not sent.

/** The maximum number of received messages to check per user. The newest ones are checked. */
const MAX_MESSAGES = 1000

/**
 * Schedules notifications for users who were online when a message was sent but whose last client never fetched it.
 * Call it when event queues expire, before the queues are deleted.
 */
export async function scheduleUnfetchedNotifications(tx: Transaction, queueIds: readonly string[]): Promise<void> {
  for (const disconnected of await findDisconnectedUsers(tx.db, queueIds)) {
    const { userId } = disconnected
    const actor = await findNotifiableActor(tx.db, userId)
    if (actor === null) continue
    const ids = await findUnfetchedIds(tx.db, disconnected, actor.realm.settings.presence_disabled)
    if (ids.length === 0) continue
    const find = async (medium: NotificationMedium) =>
      (await findMissedMessages(tx.db, actor, { medium, ids }, tx.now)).flatMap(({ messages }) =>
        messages.map(({ id }) => id),
      )
    const dueAt = tx.now + actor.settings.email_notifications_batching_period_seconds
    savePendingMails(
      tx,
      (await find('mail')).map((messageId) => ({ userId, messageId, dueAt })),
    )
    // Users with this setting were notified when the messages were sent.
    if (actor.settings.enable_online_push_notifications) continue
    if (!(await findPushSubscriberIds(tx.db, actor.realmId)).has(userId)) continue
    for (const messageId of await find('push')) savePushNotices(tx, messageId, [{ userId, dueAt: tx.now }])
  }
}

/** A user whose last poll was at `polledAt` and who counted as connected until `disconnectedAt`. */
type DisconnectedUser = { userId: number; polledAt: number; disconnectedAt: number }

/** Returns the users of these queues who have no other event queue for messages. */
async function findDisconnectedUsers(db: Db, queueIds: readonly string[]): Promise<DisconnectedUser[]> {
  const expiringIds = stringsIn(db.dialect, stringList(queueIds))
  return db
    .selectFrom('eventQueues as expired')
    .select(({ fn }) => ['expired.userId', fn.max('expired.polledAt').as('polledAt')])
    .select(sql<number>`max("expired"."polledAt" + "expired"."lifespan")`.as('disconnectedAt'))
    .where('expired.id', 'in', expiringIds)
    .where(receivesMessageEvents('expired'))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('eventQueues as other')
            .select('other.userId')
            .whereRef('other.userId', '=', 'expired.userId')
            .where('other.id', 'not in', expiringIds)
            .where(receivesMessageEvents('other')),
        ),
      ),
    )
    .groupBy('expired.userId')
    .execute()
}

/** Returns the ids of the messages that caused no notification because the user was online. */
async function findUnfetchedIds(
  db: Db,
  { userId, polledAt, disconnectedAt }: DisconnectedUser,
  isPresenceDisabled: boolean,
): Promise<number[]> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom('userMessages')
        .selectAll()
        .where('userId', '=', userId)
        .orderBy('messageId', 'desc')
        .limit(MAX_MESSAGES)
        .as('received'),
    )
    .innerJoin('messages', 'messages.id', 'received.messageId')
    .leftJoin('presences', 'presences.userId', 'received.userId')
    .select('messageId')
    .where('sentAt', '>', polledAt)
    .where('sentAt', '<', disconnectedAt)
    .where('senderId', '!=', userId)
    .where(sql<boolean>`("flags" & ${Flag.read}) = 0`)
    .$if(!isPresenceDisabled, (query) =>
      query.where((is) => is(is('sentAt', '-', is.ref('lastActiveAt')), '<=', AWAY_AFTER)),
    )
    .execute()
  return rows.map((row) => row.messageId)
}

const MISSED_MESSAGES_TEMPLATE = 'missed-messages'

const missedMessagesData = z.object({
  userId: z.int(),
  messageIds: z.array(z.int()),
  /** The nonce of the address for replies; null if the email has none. */
  reply: z.string().nullable().default(null),
})

/** The maximum number of messages shown per conversation. The newest ones are shown. */
const MAX_SHOWN = 25

/** The template of emails about missed messages. It shows the messages as they are when the email is sent. */
export function missedMessagesTemplates(secret: KeyObject): EmailTemplates {
  return {
    async [MISSED_MESSAGES_TEMPLATE](data, context) {
      const { userId, messageIds, reply } = missedMessagesData.parse(data)
      const actor = await findNotifiableActor(context.db, userId)
      if (actor === null || actor.deliveryEmail.toLowerCase() !== context.mail.recipient.toLowerCase()) return null
      const conversations = await findMissedMessages(
        context.db,
        actor,
        { medium: 'mail', ids: messageIds },
        context.now,
      )
      if (conversations.length === 0) return null
      const isAnswerable =
        reply !== null && showsOnlyOneWith(conversations, messageIds.at(-1)) && acceptsReplies(context.db, actor)
      const replyTo = isAnswerable ? replyAddressOf(secret, context.db.settings, reply) : null
      return renderMail(secret, context, actor, conversations, replyTo)
    },
  }
}

/**
 * Returns true if the email shows a single conversation, and in it the message to which replies belong. Since the email
 * was queued, messages may have been moved to other conversations.
 */
const showsOnlyOneWith = ([first, ...others]: readonly MissedConversation[], messageId: number | undefined): boolean =>
  others.length === 0 && first?.messages.some(({ id }) => id === messageId) === true

async function renderMail(
  secret: KeyObject,
  context: TemplateContext,
  actor: Actor,
  conversations: readonly MissedConversation[],
  replyTo: string | null,
): Promise<RenderedEmail> {
  const { realm } = actor
  const { hostName, url } = realmAddress(realm.subdomain, context.db.settings.EXTERNAL_URL)
  const reason = contentHiddenReason(realm, actor.settings.message_content_in_email_notifications)
  const { subject, blocks } =
    reason === null
      ? await withContent(context, actor, conversations, url)
      : withoutContent(actor, conversations, url, reason)
  const unsubscribeUrl = url + missedMailLink.pathOf(secret, actor)
  const page = renderLayout({
    heading: subject,
    blocks,
    footer:
      replyTo === null
        ? t(
            'You received this email because you have an account at {url} and were away when these messages were sent. Replies to this email are not delivered. Open the conversation to reply.',
            { url },
          )
        : t(
            'You received this email because you have an account at {url} and were away when these messages were sent. Reply to this email to answer in the conversation. Do not forward it: everyone who has it can reply as you.',
            { url },
          ),
    footerLink: { label: t('Unsubscribe from emails about missed messages'), url: unsubscribeUrl },
  })
  const suffix = reason === null && (await namesOrganization(context, actor)) ? ` [${realm.name}]` : ''
  return {
    subject: subject + suffix,
    ...page,
    list: { name: realm.name, host: hostName },
    unsubscribe: unsubscribeUrl,
    ...(replyTo !== null && { replyTo }),
  }
}

type Contents = { subject: string; blocks: EmailBlock[] }

async function withContent(
  { db, now }: TemplateContext,
  actor: Actor,
  conversations: readonly MissedConversation[],
  url: string,
): Promise<Contents> {
  const blocks: EmailBlock[] = []
  const names: string[] = []
  for (const { messages } of conversations) {
    const shown = await viewMessages(viewerOf(db, actor, now), messages.slice(-MAX_SHOWN), NOTIFICATION_FORMAT)
    const first = shown[0]
    if (first === undefined) continue
    const name = conversationName(first, actor.id)
    const hidden = messages.length - shown.length
    names.push(name)
    if (conversations.length > 1) blocks.push({ heading: name })
    if (hidden > 0)
      blocks.push(
        t('{hidden, plural, one {# earlier message is} other {# earlier messages are}} not shown.', { hidden }),
      )
    for (const message of shown) blocks.push(toBlock(message, url))
    blocks.push({
      button: t('Open the conversation'),
      url: url + conversationPath(first, messages[0]?.topic ?? '', actor.id),
    })
  }
  return { subject: names.length > 1 ? t('{name} and more', { name: names[0] ?? '' }) : (names[0] ?? ''), blocks }
}

const toBlock = ({ sender_full_name, content }: MessageJson, url: string): EmailBlock => ({
  from: sender_full_name,
  quote: toMailContent(content, url),
})

function withoutContent(
  { realm }: Actor,
  conversations: readonly MissedConversation[],
  url: string,
  reason: string,
): Contents {
  const count = conversations.reduce((sum, { messages }) => sum + messages.length, 0)
  return {
    subject: t('New messages in {realm}', { realm: realm.name }),
    blocks: [
      t('You have {count, plural, one {# unread message} other {# unread messages}}.', { count }),
      reason,
      { button: t('Open {realm}', { realm: realm.name }), url },
    ],
  }
}

const RealmNamePolicy = { automatic: 1, always: 2, never: 3 } as const

/**
 * Returns true if the subject names the organization. Under the automatic policy, it does if the user also has an
 * account in another organization.
 */
async function namesOrganization({ db }: TemplateContext, actor: Actor): Promise<boolean> {
  const policy = actor.settings.realm_name_in_email_notifications_policy
  if (policy === RealmNamePolicy.always) return true
  return policy === RealmNamePolicy.automatic && (await hasAccountInOtherRealm(db, actor))
}

type Options = Pick<PeriodicTaskOptions, 'isResponsible'> & {
  db: Db
  transaction: RunTransaction
  secret: KeyObject
  clock: Clock
  log: Log
  /** True if an SMTP server is configured. Without one, due emails are dropped instead of being kept in the outbox. */
  hasRelay: boolean
}

/** Queues emails about missed messages when they are due. */
export const openMissedMailJob = ({ db, transaction, secret, hasRelay, ...options }: Options): Job =>
  openDueJob({
    ...options,
    findNext: () => findNextPendingMail(db),
    handle: ({ userId }) =>
      transaction(async (tx) => {
        const ids = await deletePendingMails(tx, userId)
        if (hasRelay) await queueMailsAbout(tx, secret, userId, ids)
      }),
    failureMessage: 'Failed to prepare emails about missed messages',
  })

/** Queues one email for each conversation, or a single email if emails must not name conversations. */
async function queueMailsAbout(
  tx: Transaction,
  secret: KeyObject,
  userId: number,
  ids: readonly number[],
): Promise<void> {
  const actor = await findNotifiableActor(tx.db, userId)
  if (ids.length === 0 || actor === null) return
  const conversations = await findMissedMessages(tx.db, actor, { medium: 'mail', ids }, tx.now)
  const idsOf = ({ messages }: MissedConversation) => messages.map(({ id }) => id)
  const toMail = (data: { messageIds: number[]; reply?: string | null }): QueuedMail => ({
    realmId: actor.realmId,
    recipient: actor.deliveryEmail,
    letter: MISSED_MESSAGES_TEMPLATE,
    data: { userId, ...data },
  })
  if (contentHiddenReason(actor.realm, actor.settings.message_content_in_email_notifications) !== null) {
    const messageIds = conversations.flatMap(idsOf)
    if (messageIds.length > 0) queueMails(tx, [toMail({ messageIds })])
    return
  }
  const mails: QueuedMail[] = []
  for (const conversation of conversations) {
    const messageIds = idsOf(conversation)
    const messageId = messageIds.at(-1) as number
    const reply = (await mayReply(tx, actor, conversation))
      ? await saveReplyAddress(tx, secret, { userId, messageId })
      : null
    mails.push(toMail({ messageIds, reply }))
  }
  queueMails(tx, mails)
}

/** Returns true if the server receives email, and the user may see names of conversations in theirs. */
const acceptsReplies = ({ settings }: Db, { realm, settings: own }: Actor): boolean =>
  settings.MAIL_IN_DOMAIN !== '' && contentHiddenReason(realm, own.message_content_in_email_notifications) === null

/** Returns true if the user may send to the conversation. A reply is checked again when it arrives. */
async function mayReply(tx: Transaction, actor: Actor, { topicRef }: MissedConversation): Promise<boolean> {
  if (!acceptsReplies(tx.db, actor)) return false
  if (topicRef === null) return true
  const channel = await findChannel(tx.db, actor.realmId, topicRef.channelId)
  if (channel === null || channel.archivedAt !== null) return false
  return isInSetting(await viewerOf(tx.db, actor, tx.now).scope(), actor, channel.settings.can_send_message_group)
}
