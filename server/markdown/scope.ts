import type { ExternalContentKey } from '#lib/external-content-address.ts'
import type { Linkifier } from './linkifier.ts'
import { type Markup, unescapeHtml } from './markup.ts'
import type { LinkPreview, PreviewedImage } from './previews.ts'

// The scope of a message: the users, groups, channels and emoji that it may refer to. A caller collects the
// candidates in the text, looks them up, and renders with the result. Names that the scope lacks stay text, so a
// reference never shows more than the author may see.

export type NamedItem = { readonly id: number; readonly name: string }
export type MentionedUser = Mentionable & { readonly id: number; readonly fullName: string }
export type MentionedGroup = Mentionable & NamedItem

type Mentionable = {
  /**
   * True if all mentions of this user or group are silent, because deactivated accounts and groups are not notified.
   */
  readonly isSilent?: boolean
}

/**
 * Everything that a message may refer to. The caller loads it before rendering (`mentionCandidates` returns the names),
 * so that rendering does not access the database. The lookups get names as typed; they must ignore case and hide what
 * the sender may not see.
 */
export type RenderScope = {
  /**
   * The present and former addresses of the organization, without a trailing slash. Links that start with one of them
   * become relative.
   */
  readonly realmUrls: readonly string[]
  findUserByName(fullName: string): MentionedUser | null
  findUserById(id: number): MentionedUser | null
  findGroupByName(name: string): MentionedGroup | null
  findChannelByName(name: string): NamedItem | null
  /**
   * Returns the id of the first message of a topic, among the messages that the sender may read. Links to the topic
   * contain the id, so that they follow the topic when it is moved.
   */
  findFirstIn(channelId: number, topic: string): number | null
  /** Returns the address of the image for custom emoji of the organization and of the service. */
  findCustomEmoji(name: string): { readonly url: string } | null
  /** The linkifiers in descending order of priority. */
  readonly linkifiers: readonly Linkifier[]
  /** True if emoticons such as `:)` become emoji. This is a setting of the sender. */
  readonly translateEmoticons: boolean
  /** The language of code blocks that name no language; '' for no language. This is a setting of the organization. */
  readonly codeLanguage: string
  /** True if images and videos are displayed below the links to them. This is a setting of the organization. */
  readonly previewsMedia: boolean
  /** The uploaded images that the text may link to. The key is the part of the address after `/user_uploads/`. */
  readonly images: ReadonlyMap<string, PreviewedImage>
  /** The key for the addresses of pictures of other sites; null if such pictures are only links. */
  readonly externalContentKey: ExternalContentKey | null
  /** The previews that have been fetched, by the address of the website; null if the message shows no such previews. */
  readonly linkPreviews: ReadonlyMap<string, LinkPreview> | null
  /** The renderers of formulas and code. If null, the message shows formulas and code as typed. */
  readonly writers: Renderers | null
}

/** The renderers depend on large libraries. Only the worker thread loads these libraries. */
export type Renderers = {
  /** Returns null for an invalid formula. */
  formulaToHtml(source: string, isDisplay: boolean): Markup | null
  /** Returns the content of the `code` element; null for an unknown language. */
  highlight(source: string, language: string): Markup | null
}

export type Rendering = {
  readonly html: string
  /**
   * The users with a mention that is not silent, each once. Silent mentions and mentions inside quotes notify no one.
   */
  readonly mentionedUserIds: readonly number[]
  readonly mentionedGroupIds: readonly number[]
  /** True if the message contains `@**all**`, `@**everyone**`, `@**channel**` or `@**stream**`. */
  readonly mentionsChannel: boolean
  /** True if the message contains `@**topic**`. */
  readonly mentionsTopic: boolean
  /** The linked addresses whose previews are unknown. */
  readonly previewableUrls: readonly string[]
}

/** A scope without any names: every mention, channel link and custom emoji stays text. */
export const emptyScope: RenderScope = {
  realmUrls: [],
  findUserByName: () => null,
  findUserById: () => null,
  findGroupByName: () => null,
  findChannelByName: () => null,
  findFirstIn: () => null,
  findCustomEmoji: () => null,
  linkifiers: [],
  translateEmoticons: false,
  codeLanguage: '',
  previewsMedia: true,
  images: new Map(),
  externalContentKey: null,
  linkPreviews: null,
  writers: null,
}

/** The names that the caller has to look up before rendering a message. Each is listed once, as typed. */
export type MentionCandidates = {
  readonly userNames: readonly string[]
  readonly userIds: readonly number[]
  readonly groupNames: readonly string[]
  readonly channelNames: readonly string[]
  /** The topics of links that do not name a message. */
  readonly topics: readonly { readonly channel: string; readonly topic: string }[]
}

/** The largest possible id of a row. */
const LARGEST_ID = 2 ** 53 - 1

/**
 * Returns all names that `renderMarkdown` will look up. The result may contain further names, such as wildcards (`all`)
 * and names inside code.
 */
export function mentionCandidates(text: string): MentionCandidates {
  const users = namesIn(text, '@', /@_?\*\*(?=([^*]+)\*\*)/g)
  const known = users.map(userMentionName)
  const links = namesIn(text, '#', /#\*\*(?=([^*]+)\*\*)/g).map(splitChannelLink)
  return {
    userNames: users,
    userIds: unique(known.flatMap(({ id }) => (id === undefined ? [] : [id]))),
    groupNames: namesIn(text, '@', /@_?\*(?=([^*]+)\*)/g),
    channelNames: unique(links.map(({ channel }) => channel)),
    topics: links.flatMap(({ channel, topic, messageId }) =>
      topic === undefined || messageId !== undefined ? [] : [{ channel, topic }],
    ),
  }
}

/** The displayed names of system groups in mentions, as on the reference server. */
const systemGroupDisplayNames: Readonly<Record<string, string>> = {
  'role:nobody': 'Nobody',
  'role:owners': 'Owners',
  'role:administrators': 'Administrators',
  'role:moderators': 'Moderators',
  'role:fullmembers': 'Full members',
  'role:members': 'Members',
  'role:everyone': 'Everyone',
  'role:internet': 'Everyone on the internet',
}

export const groupDisplayName = (name: string): string => systemGroupDisplayNames[name.toLowerCase()] ?? name

/** Splits `Name|id`; without an id the whole text is the name. */
export function userMentionName(typed: string): { name: string; id?: number } {
  const match = /^(.*)\|(\d{1,16})$/s.exec(typed)
  const id = Number(match?.[2])
  return match && id <= LARGEST_ID ? { name: match[1] ?? '', id } : { name: typed }
}

/** Splits `channel>topic@messageId`; the name of a channel contains no `>`. */
export function splitChannelLink(typed: string): { channel: string; topic?: string; messageId?: number } {
  const at = typed.indexOf('>')
  if (at < 0) return { channel: typed }
  const channel = typed.slice(0, at)
  const topic = typed.slice(at + 1)
  const message = /^(.*)@(\d{1,16})$/s.exec(topic)
  const messageId = Number(message?.[2])
  return message && messageId <= LARGEST_ID ? { channel, topic: message[1] ?? '', messageId } : { channel, topic }
}

/**
 * Returns each matching name once. Two names may share their asterisks; only parsing decides which of the two counts.
 */
function namesIn(text: string, sign: string, pattern: RegExp): string[] {
  if (!text.includes(sign)) return []
  return unique([...text.matchAll(pattern)].map((match) => match[1] ?? ''))
}

function unique<Value>(values: Value[]): Value[] {
  return [...new Set(values)]
}

/** The lookups of a scope that resolve references. */
type References = Pick<
  RenderScope,
  'findUserByName' | 'findUserById' | 'findGroupByName' | 'findChannelByName' | 'findFirstIn' | 'findCustomEmoji'
>

const USER_MENTION = /<span class="user-mention(?<silent> silent)?" data-user-id="(?<id>\d+)">(?<name>[^<]*)</g
const GROUP_MENTION =
  /<span class="user-group-mention(?<silent> silent)?" data-user-group-id="(?<id>\d+)">(?<name>[^<]*)</g
const CHANNEL_LINK = /<a class="(?:stream|stream-topic)" data-stream-id="(?<id>\d+)" href="[^"]*">#(?<name>[^<]*)/g
const TOPIC_LINK =
  /<a class="stream-topic" data-stream-id="(?<id>\d+)" href="[^"]*\/with\/(?<first>\d+)">#[^<]*? &gt; (?<topic>[^<]*)/g
const MESSAGE_LINK = /<a class="message-link" href="\/#narrow\/channel\/(?<id>\d+)[^"]*">#(?<name>[^<]*)/g
const EMOJI_IMAGE = /<img alt=":(?<name>[^"]*):" class="emoji" src="(?<url>[^"]*)"/g

/**
 * Returns lookups that find users, groups, channels and emoji by the names that a rendered message shows. Rendering the
 * text of the message with them keeps its references, even if names have changed since, and adds no references.
 */
export function referencesIn(html: string): References {
  const users = mentionsIn(html, USER_MENTION).map(({ id, name, isSilent }) => ({ id, fullName: name, isSilent }))
  const usersByName = new Map(users.map((user) => [keyOf(user.fullName), user]))
  const usersById = new Map(users.map((user) => [user.id, user]))
  const groups = new Map(mentionsIn(html, GROUP_MENTION).map((group) => [keyOf(group.name), group]))
  const channels = new Map(channelsIn(html).map((channel) => [keyOf(channel.name), channel]))
  const firsts = new Map(
    groupsOf(html, TOPIC_LINK).map(({ id, topic = '', first }) => [
      `${id} ${keyOf(unescapeHtml(topic))}`,
      Number(first),
    ]),
  )
  const emoji = new Map(
    groupsOf(html, EMOJI_IMAGE).map(({ name = '', url = '' }) => [name, { url: unescapeHtml(url) }]),
  )
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
  return [CHANNEL_LINK, MESSAGE_LINK].flatMap((pattern) =>
    groupsOf(html, pattern).map(({ id, name = '' }) => {
      return { id: Number(id), name: unescapeHtml(name.split(' &gt; ', 1)[0] ?? '') }
    }),
  )
}

function groupsOf(html: string, pattern: RegExp): Record<string, string | undefined>[] {
  return Array.from(html.matchAll(pattern), (match) => match.groups ?? {})
}

const keyOf = (name: string) => name.toLowerCase()

/** Encodes a name for the fragment of an address: percent-encoded, with dots instead of percent signs. */
export function encodeHash(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*.]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')
}
