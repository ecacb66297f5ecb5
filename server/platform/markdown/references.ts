import { groupDisplayName } from './mention-names.ts'
import type { RenderScope } from './scope.ts'

/** The lookups of a scope that resolve references. */
export type References = Pick<
  RenderScope,
  'findUserByName' | 'findUserById' | 'findGroupByName' | 'findChannelByName' | 'findFirstIn' | 'findCustomEmoji'
>

const USER = /<span class="user-mention(?<silent> silent)?" data-user-id="(?<id>\d+)">(?<name>[^<]*)</g
const GROUP = /<span class="user-group-mention(?<silent> silent)?" data-user-group-id="(?<id>\d+)">(?<name>[^<]*)</g
const CHANNEL = /<a class="(?:stream|stream-topic)" data-stream-id="(?<id>\d+)" href="[^"]*">#(?<name>[^<]*)/g
const TOPIC =
  /<a class="stream-topic" data-stream-id="(?<id>\d+)" href="[^"]*\/with\/(?<first>\d+)">#[^<]*? &gt; (?<topic>[^<]*)/g
const MESSAGE = /<a class="message-link" href="\/#narrow\/channel\/(?<id>\d+)[^"]*">#(?<name>[^<]*)/g
const EMOJI = /<img alt=":(?<name>[^"]*):" class="emoji" src="(?<url>[^"]*)"/g

/**
 * Returns lookups that resolve the references of a rendered message by their names at that time: rendering its text
 * with them keeps references to the same people, groups, channels and emoji, whatever their current names are, and adds
 * no others.
 */
export function referencesIn(html: string): References {
  const users = mentionsIn(html, USER).map(({ id, name, isSilent }) => ({ id, fullName: name, isSilent }))
  const usersByName = new Map(users.map((user) => [keyOf(user.fullName), user]))
  const usersById = new Map(users.map((user) => [user.id, user]))
  const groups = new Map(mentionsIn(html, GROUP).map((group) => [keyOf(group.name), group]))
  const channels = new Map(channelsIn(html).map((channel) => [keyOf(channel.name), channel]))
  const firsts = new Map(
    groupsOf(html, TOPIC).map(({ id, topic = '', first }) => [`${id} ${keyOf(unescapeHtml(topic))}`, Number(first)]),
  )
  const emoji = new Map(groupsOf(html, EMOJI).map(({ name = '', url = '' }) => [name, { url: unescapeHtml(url) }]))
  return {
    findUserByName: (fullName) => usersByName.get(keyOf(fullName)) ?? null,
    findUserById: (id) => usersById.get(id) ?? null,
    findGroupByName: (name) => groups.get(keyOf(name)) ?? groups.get(keyOf(groupDisplayName(name))) ?? null,
    findChannelByName: (name) => channels.get(keyOf(name)) ?? null,
    findFirstIn: (channelId, topic) => firsts.get(`${channelId} ${keyOf(topic)}`) ?? null,
    findCustomEmoji: (name) => emoji.get(name) ?? null,
  }
}

/** Users who were only mentioned silently may have been excluded from notifications and must not be notified now. */
function mentionsIn(html: string, pattern: RegExp): { id: number; name: string; isSilent: boolean }[] {
  const mentions = groupsOf(html, pattern)
  const idsAloud = new Set(mentions.filter(({ silent }) => silent === undefined).map(({ id }) => id))
  return mentions.map(({ silent, id, name = '' }) => ({
    id: Number(id),
    name: unescapeHtml(silent === undefined ? name.slice('@'.length) : name),
    isSilent: !idsAloud.has(id),
  }))
}

/** In links into a channel the channel comes before the topic. */
function channelsIn(html: string): { id: number; name: string }[] {
  return [CHANNEL, MESSAGE].flatMap((pattern) =>
    groupsOf(html, pattern).map(({ id, name = '' }) => {
      return { id: Number(id), name: unescapeHtml(name.split(' &gt; ', 1)[0] ?? '') }
    }),
  )
}

function groupsOf(html: string, pattern: RegExp): Record<string, string | undefined>[] {
  return Array.from(html.matchAll(pattern), (match) => match.groups ?? {})
}

const keyOf = (name: string) => name.toLowerCase()

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }

const unescapeHtml = (html: string) => html.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
