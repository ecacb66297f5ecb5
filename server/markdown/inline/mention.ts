import type { StateInline } from 'markdown-it'
import { contextOf, matchHere, pushMarkup, type RenderContext } from '../context.ts'
import { element, fromCode, joinMarkup, type Markup } from '../markup.ts'
import {
  encodeHash,
  groupDisplayName,
  type MentionedUser,
  type NamedItem,
  type RenderScope,
  splitChannelLink,
  userMentionName,
} from '../scope.ts'

const MAY_PRECEDE_MENTION = /[\s'"({[/<]/
const USER = /@(_?)\*\*([^*]+)\*\*/y
const GROUP = /@(_?)\*([^*]+)\*/y
const CHANNEL_WILDCARDS = new Set(['all', 'everyone', 'channel', 'stream'])

/**
 * Parses `@**Name**`, `@**Name|id**`, `@**|id**`, the wildcards, and the silent form `@_**…**` of each. Unknown names
 * stay text.
 */
export function userMention(state: StateInline): boolean {
  const match = matchHere(state, USER, MAY_PRECEDE_MENTION)
  if (!match) return false
  const context = contextOf(state)
  const silent = match[1] === '_' || context.quotes > 0
  const html = mentionToHtml(context, match[2] ?? '', silent)
  return html !== null && pushMarkup(state, html, USER.lastIndex)
}

/** Parses `@*name*` and the silent form `@_*name*`. */
export function groupMention(state: StateInline): boolean {
  const match = matchHere(state, GROUP, MAY_PRECEDE_MENTION)
  const context = contextOf(state)
  const group = match ? context.scope.findGroupByName(match[2] ?? '') : null
  if (!match || !group) return false
  const silent = match[1] === '_' || context.quotes > 0 || group.isSilent === true
  if (!silent) context.groupIds.add(group.id)
  const attributes = { class: withSilence('user-group-mention', silent), 'data-user-group-id': String(group.id) }
  return pushMarkup(state, mentionElement(attributes, groupDisplayName(group.name), silent), GROUP.lastIndex)
}

function mentionToHtml(context: RenderContext, name: string, silent: boolean): Markup | null {
  if (CHANNEL_WILDCARDS.has(name)) {
    if (!silent) context.mentionsChannel = true
    const attributes = { class: withSilence('user-mention channel-wildcard-mention', silent), 'data-user-id': '*' }
    return mentionElement(attributes, name, silent)
  }
  if (name === 'topic') {
    if (!silent) context.mentionsTopic = true
    return mentionElement({ class: withSilence('topic-mention', silent) }, name, silent)
  }
  const user = findMentioned(context.scope, name)
  if (!user) return null
  const isSilent = silent || user.isSilent === true
  if (!isSilent) context.userIds.add(user.id)
  const attributes = { class: withSilence('user-mention', isSilent), 'data-user-id': String(user.id) }
  return mentionElement(attributes, user.fullName, isSilent)
}

/**
 * Returns the mentioned user. In `name|id`, the name must be the name of the user with the id. Otherwise, the whole
 * text counts as a name.
 */
function findMentioned(scope: RenderScope, typed: string): MentionedUser | null {
  const { name, id } = userMentionName(typed)
  if (id === undefined) return scope.findUserByName(typed)
  const user = scope.findUserById(id)
  const isNamedSo = name === '' || name.toLowerCase() === user?.fullName.toLowerCase()
  return isNamedSo ? user : scope.findUserByName(typed)
}

function withSilence(className: string, silent: boolean): string {
  return silent ? `${className} silent` : className
}

function mentionElement(attributes: Parameters<typeof element>[1], name: string, silent: boolean): Markup {
  return element('span', attributes, fromCode(silent ? name : `@${name}`))
}

const LINK = /#\*\*([^*]+)\*\*/y
/** The displayed name of the empty topic. */
const UNNAMED_TOPIC = 'general chat'

/** Parses `#**channel**`, `#**channel>topic**` and `#**channel>topic@messageId**`, unless the channel is unknown. */
export function channelLink(state: StateInline): boolean {
  const match = matchHere(state, LINK, MAY_PRECEDE_MENTION)
  if (!match) return false
  const { channel: name, topic, messageId } = splitChannelLink(match[1] ?? '')
  const { scope } = contextOf(state)
  const channel = scope.findChannelByName(name)
  return channel !== null && pushMarkup(state, linkTo(scope, channel, topic, messageId), LINK.lastIndex)
}

function linkTo(scope: RenderScope, channel: NamedItem, topic?: string, messageId?: number): Markup {
  const path = `/#narrow/channel/${channel.id}-${encodeHash(channel.name.replaceAll(' ', '-'))}`
  const id = { 'data-stream-id': String(channel.id) }
  if (topic === undefined) return element('a', { class: 'stream', ...id, href: path }, fromCode(`#${channel.name}`))

  const topicPath = `${path}/topic/${encodeHash(topic)}`
  const shown = joinMarkup(
    fromCode(`#${channel.name} > `),
    topic === '' ? element('em', {}, fromCode(UNNAMED_TOPIC)) : fromCode(topic),
  )
  if (messageId === undefined) {
    const first = scope.findFirstIn(channel.id, topic)
    const href = first === null ? topicPath : `${topicPath}/with/${first}`
    return element('a', { class: 'stream-topic', ...id, href }, shown)
  }
  const href = `${topicPath}/near/${messageId}`
  return element('a', { class: 'message-link', href }, joinMarkup(shown, fromCode(' @ 💬')))
}
