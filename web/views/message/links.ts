import type { Message } from '../../store/messages/message.ts'
import { peopleOf } from '../../store/messages/narrow.ts'

/** As the API's clients write names into the fragment of an address. */
const encode = (text: string) =>
  encodeURIComponent(text)
    .replace(/[.()]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')

/** The address of a message that all clients of the API understand; `realmUrl` without a slash at its end. */
export function linkTo(message: Message, realmUrl: string, ownId: number): string {
  const near = `near/${message.id}`
  if (message.type === 'private') return `${realmUrl}/#narrow/dm/${peopleOf(message, ownId).join(',')}-dm/${near}`
  const name = encode(String(message.display_recipient).replaceAll(' ', '-'))
  return `${realmUrl}/#narrow/channel/${message.stream_id}-${name}/topic/${encode(message.subject)}/${near}`
}

/** The shortest fence that does not stand in the text itself. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^ *(`{3,})/gm)].map(([, fence]) => fence!.length))
  return '`'.repeat(longest + 1)
}

/** Markdown that quotes what was said, with who said it and a link to it. */
export function quoteOf(message: Message, text: string, realmUrl: string, ownId: number): string {
  const fence = fenceFor(text)
  const { sender_full_name: name, sender_id: id } = message
  return `@_**${name}|${id}** [said](${linkTo(message, realmUrl, ownId)}):\n${fence}quote\n${text}\n${fence}\n`
}
