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
 * Returns lookups that find users, groups, channels and emoji by the names that a rendered message shows. Rendering the
 * text of the message with them keeps its references, even if names have changed since, and adds no references.
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

/**
 * Returns the mentioned users or groups. If they were only mentioned silently, they may have been excluded from
 * notifications, so all mentions of them stay silent.
 */
function mentionsIn(html: string, pattern: RegExp): { id: number; name: string; isSilent: boolean }[] {
  const mentions = groupsOf(html, pattern)
  const idsAloud = new Set(mentions.filter(({ silent }) => silent === undefined).map(({ id }) => id))
  return mentions.map(({ silent, id, name = '' }) => ({
    id: Number(id),
    name: unescapeHtml(silent === undefined ? name.slice('@'.length) : name),
    isSilent: !idsAloud.has(id),
  }))
}

/** Returns the linked channels. In the text of a link, the channel comes before the topic. */
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
