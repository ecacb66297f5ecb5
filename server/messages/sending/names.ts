import type { Channel } from '../../channels/channel.ts'

/** What Markdown may give a meaning within a line. */
const SIGNS = /[*`[<\\]|&[#\w]+;|~~|\$\$|:\S+:|:\/\/|[@#]_?$/

/** What cannot stand in a link to a channel, and in the topic of one to a topic, where a number would be a message's. */
const SIGNS_IN_LINKS = /[*>`]/
const SIGNS_IN_TOPICS = /[*`]|@\d+$/

const SIGNS_IN_MENTIONS = /[*`]/

/** Markdown that shows a name as it is and mentions nobody: in bold, or as code where that would give it a meaning. */
export function nameInBold(name: string): string {
  return SIGNS.test(name) ? asCode(name) : `**${name}**`
}

/** Markdown that links to a channel; its name as code where no link can say it. */
export function channelLink({ name }: Pick<Channel, 'name'>): string {
  return SIGNS_IN_LINKS.test(name) ? asCode(`#${name}`) : `#**${name}**`
}

/** The same with a topic. */
export function topicLink({ name }: Pick<Channel, 'name'>, topic: string): string {
  const isSayable = !SIGNS_IN_LINKS.test(name) && !SIGNS_IN_TOPICS.test(topic)
  return isSayable ? `#**${name}>${topic}**` : asCode(`#${name}${topic && ` > ${topic}`}`)
}

/** Markdown that mentions a group in silence; its name as code where no mention can say it. */
export function silentGroupMention(name: string): string {
  return SIGNS_IN_MENTIONS.test(name) ? asCode(name) : `@_*${name}*`
}

/** A row of backticks longer than any in the text. */
export function fenceFor(text: string, least = 1): string {
  return '`'.repeat(Math.max(least, ...Array.from(text.matchAll(/`+/g), ([row]) => row.length + 1)))
}

function asCode(name: string): string {
  const fence = fenceFor(name)
  const space = /^`|`$/.test(name) ? ' ' : ''
  return fence + space + name + space + fence
}
