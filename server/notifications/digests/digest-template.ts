import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import { t } from '#lib/text/t.ts'
import { type EmailBlock, renderLayout } from '#mail/email-layout.ts'
import type { EmailTemplates, RenderedEmail, TemplateContext } from '#mail/email-template.ts'
import { findNotifiableActor } from '#messages/notices/notifiable-user.ts'
import type { MessageFormat } from '#messages/reading/message-json.ts'
import { viewMessages } from '#messages/reading/view-messages.ts'
import { digestLink } from '#messages/unsubscribe-link.ts'
import type { Actor } from '#people/users/user.ts'
import { realmAddress } from '#realms/realm.ts'
import { toMailContent } from '../missed/mail-content.ts'
import { contentHiddenReason, conversationName, conversationPath } from '../missed/wording.ts'
import { keepChannelActivity } from './channel-activity.ts'
import { type Digest, findDigest, type HotTopic } from './find-digest.ts'

export const DIGEST_TEMPLATE = 'digest'

const digestData = z.object({ userId: z.int(), since: z.number() })

const format: MessageFormat = {
  appliesMarkdown: true,
  allowsEmptyTopic: false,
  computesGravatar: false,
  extraEmojiType: 'zulip_extra_emoji',
}

export const isEmptyDigest = ({ topics, newChannels }: Digest): boolean =>
  topics.length === 0 && newChannels.length === 0

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
  const shown = await viewMessages(viewerOf(db, actor, now), first, format)
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
