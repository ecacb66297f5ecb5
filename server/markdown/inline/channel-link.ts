import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'
import { element, fromCode, joinMarkup, type Markup } from '../markup.ts'
import { splitChannelLink } from '../mention-names.ts'
import type { NamedItem, RenderScope } from '../scope.ts'
import { MAY_PRECEDE_MENTION } from './mention.ts'
import { matchHere, pushMarkup } from './push.ts'

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

/** Encodes a name for the fragment of an address: percent-encoded, with dots instead of percent signs. */
export function encodeHash(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*.]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')
}
