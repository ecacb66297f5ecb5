import { queryOptions } from '@tanstack/react-query'
import Bot from 'lucide-react/icons/bot'
import CalendarClock from 'lucide-react/icons/calendar-clock'
import Code from 'lucide-react/icons/code'
import MessageSquareText from 'lucide-react/icons/message-square-text'
import Slash from 'lucide-react/icons/slash'
import { BotType } from '#rules/role.ts'
import { isResolved } from '#rules/topics.ts'
import { type AnswerOf, call } from '../../api/call.ts'
import { type EmojiChoice, loadEmojiChoices, recentEmoji, searchEmoji } from '../../emoji/emoji-choices.ts'
import { preferredTone, TonedGlyph, withTone } from '../../emoji/skin-tones.tsx'
import { linkToChannel, linkToTopic } from '../../messages/links.ts'
import { topicTitle } from '../../messages/narrow.ts'
import { channelTopics } from '../../messages/topics.ts'
import { ResolvedMark } from '../../navigation/conversation-name.tsx'
import type { Channel, Organization } from '../../store/organization.ts'
import { BOT_COMMANDS_KEY, queryClient } from '../../store/query-client.ts'
import { t } from '../../text/t.ts'
import { rank, toSearchIndex } from '../../ui/rank.ts'
import { LANGUAGES } from '../languages.ts'
import { MAX_ROWS, suggestMentions } from '../mention-suggestions.tsx'
import { SLASH_COMMANDS } from '../sending/slash-commands.ts'
import type { CompletionContext } from './completion-context.ts'
import type { Token } from './find-token.ts'
import { ChannelSign, type Suggestion } from './suggestion-list.tsx'

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

/**
 * Returns the emoji whose name or keyword matches. Recently used emoji with a name that starts with the query come
 * first.
 */
export function suggestEmoji(query: string, choices: readonly EmojiChoice[], userId: number): Suggestion[] {
  const recent = new Set(recentEmoji(userId))
  const tone = preferredTone(userId)
  const found = searchEmoji(choices, query)
  const first = found.filter(({ key, names }) => recent.has(key) && names.some((name) => name.startsWith(query)))
  const rows = [...new Set([...first, ...found])].slice(0, MAX_ROWS)
  return rows.map((emoji) => {
    const name = matchingName(emoji.names, query)
    const toned = withTone(emoji, tone)
    return {
      key: emoji.key,
      label: name.replaceAll('_', ' '),
      icon: <TonedGlyph emoji={emoji} tone={tone} />,
      insert: toned === null ? `:${name}: ` : `${toned} `,
    }
  })
}

/** Returns the name to insert: an alias if the user typed it. */
function matchingName(names: readonly string[], query: string): string {
  const typed = query.toLowerCase()
  return names.find((name) => name === typed) ?? names.find((name) => name.startsWith(typed)) ?? names[0]!
}

/** Returns the built-in commands, and then those of bots. Without a connection, there are only the built-in ones. */
export function suggestCommands(query: string, context: CompletionContext): Suggestion[] | Promise<Suggestion[]> {
  const typed = query.toLowerCase()
  const builtIn = SLASH_COMMANDS.filter(({ name }) => name.startsWith(typed)).map(({ name, hint, insert }) => ({
    key: name,
    label: `/${name}`,
    detail: hint,
    icon: <Slash className="icon" aria-hidden="true" />,
    insert,
    ...((name === 'poll' || name === 'todo') && { opensWidget: name }),
  }))
  const withBots = (commands: readonly BotCommand[]) => [...builtIn, ...suggestBotCommands(typed, commands, context)]
  const bots = context.organization.realm_users.filter(({ bot_type }) => bot_type === BotType.outgoingWebhook)
  if (bots.length === 0) return builtIn
  const commandQuery = botCommands(bots.map(({ user_id }) => user_id))
  const known = queryClient.getQueryData(commandQuery.queryKey)
  const found = queryClient.ensureQueryData({ ...commandQuery, revalidateIfStale: true, retry: false }).catch(() => [])
  return known === undefined ? found.then(withBots) : withBots(known)
}

type BotCommand = AnswerOf<'GET /bot_commands'>['commands'][number]

/** Returns the query for the commands of bots. They are fetched again when bots appear or disappear. */
const botCommands = (botIds: readonly number[]) =>
  queryOptions({
    queryKey: [...BOT_COMMANDS_KEY, botIds],
    queryFn: async ({ signal }) => (await call('GET /bot_commands', {}, { signal })).commands,
  })

/** Returns the commands that reach their bot from this conversation. */
function suggestBotCommands(
  typed: string,
  commands: readonly BotCommand[],
  { organization, destination, subscribers }: CompletionContext,
): Suggestion[] {
  const channelId = destination.kind === 'channel' ? destination.channelId : null
  const channel = organization.subscriptions.find(({ stream_id }) => stream_id === channelId)
  const reaches = (botId: number) =>
    destination.kind === 'direct'
      ? destination.people.includes(botId)
      : channel?.invite_only !== true || subscribers?.has(botId) !== false
  const bots = new Map(organization.realm_users.map((person) => [person.user_id, person]))
  return commands
    .filter(({ name, bot_id }) => name.startsWith(typed) && bots.has(bot_id) && reaches(bot_id))
    .slice(0, MAX_ROWS)
    .map(({ name, argument_hint, description, bot_id }) => ({
      key: `bot ${name}`,
      label: argument_hint === '' ? `/${name}` : `/${name} ${argument_hint}`,
      detail: description || (bots.get(bot_id)?.full_name ?? ''),
      icon: <Bot className="icon" aria-hidden="true" />,
      insert: `/${name} `,
    }))
}

/** Returns languages of code blocks, with the languages of the organization's playgrounds first. */
export function suggestLanguages(query: string, playgrounds: readonly string[]): Suggestion[] {
  if (query === '') return []
  const own = playgrounds.map((name) => name.toLowerCase())
  const all = [...new Set([...own, ...LANGUAGES])]
  return rank(
    toSearchIndex(all, (name) => name),
    query,
    MAX_ROWS,
  ).map((name) => ({
    key: name,
    label: name,
    icon: <Code className="icon" aria-hidden="true" />,
    insert: `${name}\n`,
  }))
}

export const suggestTime = (): Suggestion[] => [
  {
    key: 'time',
    label: t('Choose a date and time'),
    detail: t('Everyone sees it in their time zone'),
    icon: <CalendarClock className="icon" aria-hidden="true" />,
    opensDates: true,
  },
]

/** Returns the suggestions for the token. Returns a promise only if something must be loaded first. */
export function complete(token: Token, context: CompletionContext): Suggestion[] | Promise<Suggestion[]> {
  const { organization } = context
  switch (token.kind) {
    case 'mention':
      return suggestMentions(token.query, token.isSilent, context)
    case 'channel':
      return suggestChannels(token.query, organization)
    case 'topic':
      return suggestTopicLinks(token.channel, token.query, organization)
    case 'emoji':
      return loadEmojiChoices(queryClient, organization).then((emoji) =>
        suggestEmoji(token.query, emoji, organization.user_id),
      )
    case 'command':
      return suggestCommands(token.query, context)
    case 'language':
      return suggestLanguages(
        token.query,
        organization.realm_playgrounds.map(({ pygments_language }) => pygments_language),
      )
    case 'time':
      return suggestTime()
  }
}
