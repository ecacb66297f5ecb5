import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { t } from '#lib/text/t.ts'
import { type EmailBlock, renderLayout } from '#mail/email-layout.ts'
import type { EmailTemplates, RenderedEmail, TemplateContext } from '#mail/email-template.ts'
import { findNotifiableActor, hasAccountInOtherRealm } from '#messages/notices/notifiable-user.ts'
import type { MessageFormat, MessageJson } from '#messages/reading/message-json.ts'
import { viewMessages } from '#messages/reading/view-messages.ts'
import { missedMailLink } from '#messages/unsubscribe-link.ts'
import type { Actor } from '#people/users/user.ts'
import { realmAddress } from '#realms/realm.ts'
import { findMissedMessages, type MissedConversation } from './find-missed-messages.ts'
import { toMailContent } from './mail-content.ts'
import { contentHiddenReason, conversationName, conversationPath } from './wording.ts'

export const MISSED_MESSAGES_TEMPLATE = 'missed-messages'

const missedMessagesData = z.object({ userId: z.int(), messageIds: z.array(z.int()) })

/** The maximum number of messages shown per conversation. The newest ones are shown. */
const MAX_SHOWN = 25

const format: MessageFormat = {
  appliesMarkdown: true,
  allowsEmptyTopic: false,
  computesGravatar: false,
  extraEmojiType: 'zulip_extra_emoji',
}

/** The template of emails about missed messages. It shows the messages as they are when the email is sent. */
export function missedMessagesTemplates(secret: KeyObject): EmailTemplates {
  return {
    async [MISSED_MESSAGES_TEMPLATE](data, context) {
      const { userId, messageIds } = missedMessagesData.parse(data)
      const actor = await findNotifiableActor(context.db, userId)
      if (actor === null || actor.deliveryEmail.toLowerCase() !== context.mail.recipient.toLowerCase()) return null
      const conversations = await findMissedMessages(
        context.db,
        actor,
        { medium: 'mail', ids: messageIds },
        context.now,
      )
      return conversations.length === 0 ? null : renderMail(secret, context, actor, conversations)
    },
  }
}

async function renderMail(
  secret: KeyObject,
  context: TemplateContext,
  actor: Actor,
  conversations: readonly MissedConversation[],
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
    footer: t(
      'You received this email because you have an account at {url} and were away when these messages were sent. Replies to this email are not delivered. Open the conversation to reply.',
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
    const shown = await viewMessages(viewerOf(db, actor, now), messages.slice(-MAX_SHOWN), format)
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
