import { z } from 'zod'
import { slackText } from '../families/slack-format.ts'
import { ignore, integration, invalidOption, on, type WebhookRequest } from '../integration.ts'
import { bold, link, md, paragraphs } from '../markdown.ts'
import { slackSignature } from '../signatures.ts'

const text = z.string().nullish()

const OPTION = 'channels_map_to_topics'

/** Returns where a message of a channel in Slack goes. A channel that has no name, only an id, cannot become a channel. */
function targetOf(channel: { name?: string; id?: string | null | undefined }, { param }: WebhookRequest) {
  const topic = 'Message from Slack'
  switch (param(OPTION)) {
    case undefined:
      return { topic }
    case '0':
      return { topic, channel: channel.name }
    case '1': {
      const name = channel.name ?? channel.id
      return { topic: name ? `channel: ${name}` : topic }
    }
    default:
      throw invalidOption({ name: OPTION })
  }
}

const file = z.object({ name: text, title: text, permalink: text })

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
    'Paste the URL into **URL(s)**, and click **Save Settings**. Repeat this for each channel. With `channels_map_to_topics=1` in the URL, each becomes a topic.',
    'An app of your own works, too: turn on **Event Subscriptions**, paste the URL as the **Request URL**, and subscribe the bot to `message.channels`. The secret is the **Signing Secret** of the app.',
  ],
  sample: {
    payload: {
      type: 'event_callback',
      event: { type: 'message', channel: 'maps', username: 'ada', text: 'The map is ready to print.' },
    },
  },
  options: [
    {
      name: OPTION,
      label: 'Give each channel of Slack a topic (1), or post to the channel that has the same name here (0)',
    },
  ],
  verify: slackSignature,
  // Slack checks a URL for the Events API by a text that it expects in the response.
  responseTo(payload) {
    const { data } = challenge.safeParse(payload)
    return data && { challenge: data.challenge }
  },
  read: ({ body }) => (body.has('token') ? Object.fromEntries(body) : null),
  eventOf: (payload) => z.object({ type: z.string() }).safeParse(payload).data?.type ?? 'outgoing',
  events: {
    outgoing: on(
      z.object({ user_name: z.string(), channel_name: z.string(), text: z.string(), bot_id: text }),
      ({ user_name: user, channel_name: channel, text, bot_id: bot }, request) =>
        // Messages that were copied to Slack must not come back.
        bot || user === 'slackbot'
          ? null
          : { ...targetOf({ name: channel }, request), content: md`${bold(user)}: ${slackText(text)}` },
    ),
    event_callback: on(message, ({ event }, request) => {
      if (event.type !== 'message' || event.bot_id || !SHOWN.includes(event.subtype)) return null
      const files = (event.files ?? []).map(
        ({ name, title, permalink }) => md`📎 ${link(title || name || 'A file', permalink)}`,
      )
      return {
        ...targetOf({ id: event.channel }, request),
        content: paragraphs(md`${bold(event.username ?? event.user ?? 'Someone')}: ${slackText(event.text)}`, ...files),
      }
    }),
    url_verification: ignore,
    app_rate_limited: ignore,
  },
})
