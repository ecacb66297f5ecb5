import type { Channel } from '#channels/channel.ts'

/** Characters and sequences with a meaning in inline Markdown. */
const MARKDOWN = /[*`[<\\]|&[#\w]+;|~~|\$\$|:\S+:|:\/\/|[@#]_?$/

/** What links to channels and topics cannot contain. A number at the end of a topic would name a message. */
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
