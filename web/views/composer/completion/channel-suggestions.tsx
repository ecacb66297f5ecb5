import MessageSquareText from 'lucide-react/icons/message-square-text'
import { isResolved, topicTitle } from '../../../store/messages/topic-title.ts'
import { channelTopics } from '../../../store/messages/topics.ts'
import type { Channel, Organization } from '../../../store/organization.ts'
import { queryClient } from '../../../store/query-client.ts'
import { t } from '../../../text/t.ts'
import { rank, toSearchIndex } from '../../../ui/text/rank.ts'
import { ResolvedMark } from '../../chat/topic-name.tsx'
import { linkToChannel, linkToTopic } from '../../message/links.ts'
import { ChannelSign } from './channel-sign.tsx'
import { MAX_ROWS } from './mention-suggestions.tsx'
import type { Suggestion } from './suggestion.ts'

/** Returns channels to link to; subscribed ones come first. */
export function suggestChannels(query: string, organization: Organization): Suggestion[] {
  const { subscriptions, unsubscribed, never_subscribed } = organization
  const own = new Set(subscriptions.map(({ stream_id }) => stream_id))
  const all: Channel[] = [...subscriptions, ...unsubscribed, ...never_subscribed]
  const open = all.filter(({ is_archived }) => !is_archived)
  return rank(
    toSearchIndex(open, ({ name }) => name),
    query,
    MAX_ROWS,
    ({ stream_id }) => (own.has(stream_id) ? -1 : 0),
  ).map((channel) => ({
    key: `channel ${channel.stream_id}`,
    label: channel.name,
    detail: own.has(channel.stream_id) ? channel.description : t('not subscribed'),
    icon: <ChannelSign channel={channel} />,
    insert: `${channelLink(channel, organization.realm_url)} `,
    ...(isPlain(channel.name) && { continued: `#**${channel.name}>` }),
  }))
}

/** Returns topics of the channel to link to. Rejects with `ApiError`. */
export async function suggestTopicLinks(
  name: string,
  query: string,
  organization: Organization,
): Promise<Suggestion[]> {
  const { subscriptions, unsubscribed, never_subscribed, realm_url } = organization
  const all: Channel[] = [...subscriptions, ...unsubscribed, ...never_subscribed]
  const channel = all.find((one) => one.name === name)
  if (channel === undefined) return []
  const topics = await queryClient.ensureQueryData({ ...channelTopics(channel.stream_id), revalidateIfStale: true })
  const isNew = query !== '' && !topics.some((topic) => topic.name.toLowerCase() === query.toLowerCase())
  const found = rank(
    toSearchIndex(topics, (topic) => topic.name),
    query,
    MAX_ROWS,
  )
  const names = [...found.map((topic) => topic.name), ...(isNew && found.length === 0 ? [query] : [])]
  return names.map((topic) => ({
    key: `topic ${topic}`,
    label: topicTitle(topic),
    icon: isResolved(topic) ? <ResolvedMark /> : <MessageSquareText className="icon" aria-hidden="true" />,
    insert: `${topicLink(channel, topic, realm_url)} `,
  }))
}

/** Returns false if the name has characters that a link by name can't contain. */
const isPlain = (name: string) => !/[`*>&[\]]|\$\$/.test(name)

const escaped = (name: string) => name.replace(/[`*>&[\]$]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const channelLink = (channel: Channel, realmUrl: string): string =>
  isPlain(channel.name)
    ? `#**${channel.name}**`
    : `[#${escaped(channel.name)}](${relative(linkToChannel(channel, realmUrl), realmUrl)})`

const topicLink = (channel: Channel, topic: string, realmUrl: string): string =>
  isPlain(channel.name) && isPlain(topic)
    ? `#**${channel.name}>${topic}**`
    : `[#${escaped(channel.name)} > ${escaped(topic)}](${relative(linkToTopic(channel, topic, realmUrl), realmUrl)})`

const relative = (url: string, realmUrl: string) => url.slice(realmUrl.length + 1)
