import type { StateInline } from 'markdown-it'
import { contextOf, type RenderContext } from '../context.ts'
import { element, fromCode, type Markup } from '../markup.ts'
import { groupDisplayName, userMentionName } from '../mention-names.ts'
import type { MentionedUser, RenderScope } from '../scope.ts'
import { matchHere, pushMarkup } from './push.ts'

export const MAY_PRECEDE_MENTION = /[\s'"({[/<]/
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
