import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { type EmailBlock, renderLayout } from '../../delivery/mail/email-layout.ts'
import type { EmailTemplates, RenderedEmail, TemplateContext } from '../../delivery/mail/email-template.ts'
import { realmAddress } from '../../organizations/realms/realm.ts'
import type { Actor } from '../../people/users/user.ts'
import type { MessageFormat, MessageJson } from '../reading/message-json.ts'
import { viewMessages } from '../reading/view-messages.ts'
import { findMissedMessages, type MissedConversation } from './find-missed.ts'
import { toMailContent } from './mail-content.ts'
import { findNotifiableActor, hasAccountInOtherRealm } from './notifiable-user.ts'
import { unsubscribePath } from './unsubscribe-key.ts'
import { contentHiddenReason, conversationName, conversationPath, messageCountText } from './wording.ts'

export const MISSED_MESSAGES_TEMPLATE = 'missed-messages'

export const missedMessagesData = z.object({ userId: z.int(), messageIds: z.array(z.int()) })

/** Of one conversation the newest so many are shown. */
const MAX_SHOWN = 25

const form: MessageFormat = {
  appliesMarkdown: true,
  allowsEmptyTopic: false,
  computesGravatar: false,
  extraEmojiType: 'zulip_extra_emoji',
}

/** The mails about messages that somebody was away for, as these are when the mail goes out. */
export function missedMessagesTemplates(secret: KeyObject): EmailTemplates {
  return {
    async [MISSED_MESSAGES_TEMPLATE](data, context) {
      const { userId, messageIds } = missedMessagesData.parse(data)
      const actor = await findNotifiableActor(context.db, userId)
      if (actor === null || actor.deliveryEmail.toLowerCase() !== context.mail.recipient.toLowerCase()) return null
      const threads = await findMissedMessages(context.db, actor, { medium: 'mail', ids: messageIds }, context.now)
      return threads.length === 0 ? null : renderMail(secret, context, actor, threads)
    },
  }
}

async function renderMail(
  secret: KeyObject,
  context: TemplateContext,
  actor: Actor,
  threads: readonly MissedConversation[],
): Promise<RenderedEmail> {
  const { realm } = actor
  const { hostName, url } = realmAddress(realm.subdomain, context.db.settings.EXTERNAL_URL)
  const reason = contentHiddenReason(realm, actor.settings.message_content_in_email_notifications)
  const { subject, blocks } =
    reason === null ? await withContent(context, actor, threads, url) : withoutContent(actor, threads, url, reason)
  const ending = url + unsubscribePath(secret, actor)
  const page = renderLayout({
    heading: subject,
    blocks,
    footer: `You get this mail because you have an account at ${url} and were away when this was said. Answers to this mail reach nobody: answer there.`,
    footerLink: { label: 'No more mail about missed messages', url: ending },
  })
  const suffix = reason === null && (await namesOrganization(context, actor)) ? ` [${realm.name}]` : ''
  return {
    subject: subject + suffix,
    ...page,
    list: { name: realm.name, host: hostName },
    unsubscribe: ending,
  }
}

type Contents = { subject: string; blocks: EmailBlock[] }

async function withContent(
  { db, now }: TemplateContext,
  actor: Actor,
  threads: readonly MissedConversation[],
  url: string,
): Promise<Contents> {
  const blocks: EmailBlock[] = []
  const names: string[] = []
  for (const { messages } of threads) {
    const shown = await viewMessages(db, actor, messages.slice(-MAX_SHOWN), form, now)
    const first = shown[0]
    if (first === undefined) continue
    const name = conversationName(first, actor.id)
    const hidden = messages.length - shown.length
    names.push(name)
    if (threads.length > 1) blocks.push({ heading: name })
    if (hidden > 0) blocks.push(`Before these there ${hidden === 1 ? 'is' : 'are'} ${messageCountText(hidden)} more.`)
    for (const message of shown) blocks.push(toBlock(message, url))
    blocks.push({
      button: 'Open the conversation',
      url: url + conversationPath(first, messages[0]?.topic ?? '', actor.id),
    })
  }
  return { subject: names.length > 1 ? `${names[0]} and more` : (names[0] ?? ''), blocks }
}

const toBlock = ({ sender_full_name, content }: MessageJson, url: string): EmailBlock => ({
  from: sender_full_name,
  quote: toMailContent(content, url),
})

function withoutContent(
  { realm }: Actor,
  threads: readonly MissedConversation[],
  url: string,
  reason: string,
): Contents {
  const count = threads.reduce((sum, { messages }) => sum + messages.length, 0)
  return {
    subject: `New messages at ${realm.name}`,
    blocks: [
      `There ${count === 1 ? 'is' : 'are'} ${messageCountText(count)} for you that you have not read.`,
      reason,
      { button: `Open ${realm.name}`, url },
    ],
  }
}

const RealmNamePolicy = { whereItHelps: 1, always: 2, never: 3 } as const

/** Whether the subject names the organization: in doubt where the person has an account at another one, too. */
async function namesOrganization({ db }: TemplateContext, actor: Actor): Promise<boolean> {
  const policy = actor.settings.realm_name_in_email_notifications_policy
  if (policy === RealmNamePolicy.always) return true
  return policy === RealmNamePolicy.whereItHelps && (await hasAccountInOtherRealm(db, actor))
}
