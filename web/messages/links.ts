import type { Message } from './message.ts'
import { peopleOf } from './narrow.ts'

/** Encodes a name as Zulip clients do in the fragment of a URL. */
const encode = (text: string) =>
  encodeURIComponent(text)
    .replace(/[.()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')

/** Returns the URL of a message for any Zulip client; `realmUrl` has no trailing slash. */
export function linkToMessage(message: Message, realmUrl: string, ownId: number): string {
  const near = `near/${message.id}`
  if (message.type === 'private') return `${realmUrl}/#narrow/dm/${peopleOf(message, ownId).join(',')}-dm/${near}`
  const channel = { stream_id: message.stream_id ?? 0, name: String(message.display_recipient) }
  return `${linkToTopic(channel, message.subject, realmUrl)}/${near}`
}

export const linkToChannel = ({ stream_id, name }: { stream_id: number; name: string }, realmUrl: string): string =>
  `${realmUrl}/#narrow/channel/${stream_id}-${encode(name.replaceAll(' ', '-'))}`

export const linkToTopic = (channel: { stream_id: number; name: string }, topic: string, realmUrl: string): string =>
  `${linkToChannel(channel, realmUrl)}/topic/${encode(topic)}`

/** Returns a fence that is longer than all fences in the text. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^ *(`{3,})/gm)].map(([, fence]) => fence!.length))
  return '`'.repeat(longest + 1)
}

/** Returns Markdown that quotes a message, with its sender and a link. */
export function quoteOf(message: Message, text: string, realmUrl: string, ownId: number): string {
  const fence = fenceFor(text)
  const { sender_full_name: name, sender_id: id } = message
  return `@_**${name}|${id}** [said](${linkToMessage(message, realmUrl, ownId)}):\n${fence}quote\n${text}\n${fence}\n`
}
