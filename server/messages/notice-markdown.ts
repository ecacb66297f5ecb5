import type { Channel } from '#channels/channel.ts'
import { encodeHash } from '#markdown/scope.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { ReadableMessage } from './access.ts'
import type { ChannelTopic } from './message.ts'

// Markdown that the server writes into its own messages. A name of a user, group, channel or topic appears exactly as
// it is, whatever characters it contains, and cannot mention or link to anything else.

/** Returns Markdown that mentions a user without notifying them. */
export function silentMention(user: { id: number; fullName: string }): string {
  return `@_**${user.fullName}|${user.id}**`
}

/** Characters and sequences with a meaning in inline Markdown. */
const MARKDOWN = /[*`[<\\]|&[#\w]+;|~~|\$\$|:\S+:|:\/\/|[@#]_?$/

/**
 * The characters that links to channels and topics cannot contain. A number at the end of a topic would name a message.
 */
const UNLINKABLE = /[*>`]/
const UNLINKABLE_IN_TOPICS = /[*`]|@\d+$/

const UNMENTIONABLE = /[*`]/

/**
 * Returns Markdown that shows a name in bold without mentioning anyone. A name that contains Markdown is shown as code.
 */
export function boldName(name: string): string {
  return MARKDOWN.test(name) ? asCode(name) : `**${name}**`
}

/** Returns a Markdown link to a channel, or its name as code if a link cannot contain it. */
export function channelLinkMarkdown({ name }: Pick<Channel, 'name'>): string {
  return UNLINKABLE.test(name) ? asCode(`#${name}`) : `#**${name}**`
}

/** Like `channelLinkMarkdown`, for a topic. */
export function topicLink({ name }: Pick<Channel, 'name'>, topic: string): string {
  const isLinkable = !UNLINKABLE.test(name) && !UNLINKABLE_IN_TOPICS.test(topic)
  return isLinkable ? `#**${name}>${topic}**` : asCode(`#${name}${topic && ` > ${topic}`}`)
}

/** Returns a silent mention of a group, or its name as code if a mention cannot contain it. */
export function silentGroupMention(name: string): string {
  return UNMENTIONABLE.test(name) ? asCode(name) : `@_*${name}*`
}

/** Returns a run of backticks that is longer than any run in the text. */
export function fenceFor(text: string, minLength = 1): string {
  return '`'.repeat(Math.max(minLength, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)))
}

function asCode(name: string): string {
  const fence = fenceFor(name)
  const space = /^`|`$/.test(name) ? ' ' : ''
  return fence + space + name + space + fence
}

export function messageUrl(realm: Realm, externalUrl: string, { message, conversation }: ReadableMessage): string {
  if (conversation.channel !== null) return channelMessageUrl(realm, externalUrl, conversation, message.id)
  const { url } = realmAddress(realm.subdomain, externalUrl)
  return `${url}/#narrow/dm/${conversation.direct.participantIds.join()}-dm/near/${message.id}`
}

/** Like `messageUrl`, for a message in a channel topic. */
export function channelMessageUrl(
  realm: Realm,
  externalUrl: string,
  { channel, topic }: ChannelTopic,
  id: number,
): string {
  const { url } = realmAddress(realm.subdomain, externalUrl)
  const name = `${channel.id}-${encodeHash(channel.name.replaceAll(' ', '-'))}`
  return `${url}/#narrow/channel/${name}/topic/${encodeHash(topic)}/near/${id}`
}
