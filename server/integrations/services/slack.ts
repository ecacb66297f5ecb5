import { z } from 'zod'
import { slackText } from '../families/slack-format.ts'
import { ignore, integration, on, type WebhookRequest } from '../integration.ts'
import { bold, md, paragraphs } from '../markdown.ts'
import { slackSignature } from '../signatures.ts'

const text = z.string().nullish()

const topicOf = (channel: string | null | undefined, request: WebhookRequest) =>
  request.param('channels_map_to_topics') === '0' || !channel ? 'Message from Slack' : `channel: ${channel}`

const file = z.object({ name: text, title: text })

const message = z.object({
  event: z.object({
    type: z.string(),
    subtype: text,
    channel: text,
    user: text,
    username: text,
    bot_id: text,
    text,
    files: z.array(file).nullish(),
  }),
})

const challenge = z.object({ type: z.literal('url_verification'), challenge: z.string().max(1000) })

/** Events that have a text: usual ones, those of `/me`, files, and replies that are shown in the channel, too. */
const SHOWN = [null, undefined, 'me_message', 'file_share', 'thread_broadcast']

export const slack = integration({
  name: 'slack',
  title: 'Slack (copy messages)',
  category: 'Communication',
  summary: 'Copies of messages in Slack',
  logo: { letter: 'S', color: '#4a154b' },
  steps: [
    'In Slack, add the app **Outgoing WebHooks** to your workspace, and choose the channel whose messages you want to copy.',
    'Paste the URL into **URL(s)**, and click **Save Settings**. Repeat this for each channel: each becomes a topic.',
    'An app of your own works, too: turn on **Event Subscriptions**, paste the URL as the **Request URL**, and subscribe the bot to `message.channels`. The secret is the **Signing Secret** of the app.',
  ],
  sample: {
    payload: {
      type: 'event_callback',
      event: { type: 'message', channel: 'maps', username: 'ada', text: 'The map is ready to print.' },
    },
  },
  options: [
    { name: 'channels_map_to_topics', label: 'Give each channel of Slack a topic (1) or use one topic for all (0)' },
  ],
  verify: slackSignature,
  // Slack checks a URL for the Events API by a text that it expects as the response.
  responseTo: (payload) => challenge.safeParse(payload).data?.challenge,
  read: ({ body }) => (body.has('token') ? Object.fromEntries(body) : null),
  eventOf: (payload) => z.object({ type: z.string() }).safeParse(payload).data?.type ?? 'outgoing',
  events: {
    outgoing: on(
      z.object({ user_name: z.string(), channel_name: z.string(), text: z.string(), bot_id: text }),
      ({ user_name: user, channel_name: channel, text, bot_id: bot }, request) =>
        // Messages that were copied to Slack must not come back.
        bot || user === 'slackbot'
          ? null
          : { topic: topicOf(channel, request), content: md`${bold(user)}: ${slackText(text)}` },
    ),
    event_callback: on(message, ({ event }, request) => {
      if (event.type !== 'message' || event.bot_id || !SHOWN.includes(event.subtype)) return null
      const files = (event.files ?? []).map(({ name, title }) => md`📎 ${title ?? name ?? 'A file'}`)
      return {
        topic: topicOf(event.channel, request),
        content: paragraphs(md`${bold(event.username ?? event.user ?? 'Someone')}: ${slackText(event.text)}`, ...files),
      }
    }),
    url_verification: ignore,
    app_rate_limited: ignore,
  },
})
