import type { Message } from '../../store/messages/message.ts'
import { peopleOf } from '../../store/messages/narrow.ts'

/** As the API's clients write names into the fragment of an address. */
const encode = (text: string) =>
  encodeURIComponent(text)
    .replace(/[.()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')

/** The address of a message that all clients of the API understand; `realmUrl` without a slash at its end. */
export function linkToMessage(message: Message, realmUrl: string, ownId: number): string {
  const near = `near/${message.id}`
  if (message.type === 'private') return `${realmUrl}/#narrow/dm/${peopleOf(message, ownId).join(',')}-dm/${near}`
  const channel = { stream_id: message.stream_id ?? 0, name: String(message.display_recipient) }
  return `${linkToTopic(channel, message.subject, realmUrl)}/${near}`
}

/** The same of a channel. */
export const linkToChannel = ({ stream_id, name }: { stream_id: number; name: string }, realmUrl: string): string =>
  `${realmUrl}/#narrow/channel/${stream_id}-${encode(name.replaceAll(' ', '-'))}`

/** The same of a topic. */
export const linkToTopic = (channel: { stream_id: number; name: string }, topic: string, realmUrl: string): string =>
  `${linkToChannel(channel, realmUrl)}/topic/${encode(topic)}`

/** The shortest fence that does not stand in the text itself. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^ *(`{3,})/gm)].map(([, fence]) => fence!.length))
  return '`'.repeat(longest + 1)
}

/** Markdown that quotes what was said, with who said it and a link to it. */
export function quoteOf(message: Message, text: string, realmUrl: string, ownId: number): string {
  const fence = fenceFor(text)
  const { sender_full_name: name, sender_id: id } = message
  return `@_**${name}|${id}** [said](${linkToMessage(message, realmUrl, ownId)}):\n${fence}quote\n${text}\n${fence}\n`
}
