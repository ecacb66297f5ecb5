/**
 * The unfinished text before the cursor that a list of suggestions can complete. `from` is the start of the text to
 * replace.
 */
export type Token = { readonly from: number; readonly query: string } & (
  | { readonly kind: 'mention'; readonly isSilent: boolean }
  | { readonly kind: 'topic'; readonly channel: string }
  | { readonly kind: 'channel' | 'emoji' | 'command' | 'language' | 'time' }
)

const LANGUAGE = /^ {0,3}(?:`{3,}|~{3,})([\w+#.-]*)$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const COMMAND = /^\/([\w-]*)$/
const TIME = /<(t(?:i(?:m(?:e(?::[^<>\n]*)?)?)?)?)$/
const TOPIC = /#\*\*([^*>\n]+)(?:\*\* ?)?>([^*>\n]{0,60})$/
const CHANNEL = /(?:^|[\s([{"'])(#(?:\*\*)?)([^\s#*>@](?:[^#*>\n]{0,59})|)$/
/** The name of a mention, or an email address. */
const MENTION = /(?:^|[\s([{"'*])(@(_?)\*{0,2})([^\s@*_](?:[^@*\n]{0,59}|[^\s@*]{0,60}@[^\s@*]{0,60})|)$/
const EMOJI = /(?:^|[^\w:])(:)([a-z_+][\w+-]{1,40})$/i

/** Returns the token that ends at the cursor; null if there is none, for example inside code. */
export function findToken(text: string, caret: number): Token | null {
  const before = text.slice(0, caret)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  if (isInFence(before.slice(0, before.length - line.length))) return null
  const language = LANGUAGE.exec(line)
  if (language !== null) return { kind: 'language', from: caret - language[1]!.length, query: language[1]! }
  if ((line.match(/`/g) ?? []).length % 2 === 1) return null
  const command = COMMAND.exec(before)
  if (command !== null) return { kind: 'command', from: 0, query: command[1]! }
  return findInline(line, caret)
}

function findInline(line: string, caret: number): Token | null {
  const at = (length: number) => caret - length
  const time = TIME.exec(line)
  if (time !== null) return { kind: 'time', from: at(time[0].length), query: time[1]! }
  const topic = TOPIC.exec(line)
  if (topic !== null)
    return { kind: 'topic', from: at(topic[0].length), channel: topic[1]!, query: topic[2]!.trimStart() }
  const mention = MENTION.exec(line)
  if (mention !== null) {
    const [, mark = '', silent, query = ''] = mention
    return { kind: 'mention', from: at(mark.length + query.length), query, isSilent: silent === '_' }
  }
  const channel = CHANNEL.exec(line)
  if (channel !== null) {
    const [, mark = '', query = ''] = channel
    return { kind: 'channel', from: at(mark.length + query.length), query }
  }
  const emoji = EMOJI.exec(line)
  return emoji === null ? null : { kind: 'emoji', from: at(1 + emoji[2]!.length), query: emoji[2]! }
}

/** Returns true if these lines open a code fence without closing it. */
function isInFence(lines: string): boolean {
  let open: string | null = null
  for (const line of lines.split('\n')) {
    const fence = FENCE.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === null) open = fence
    else if (fence[0] === open[0] && fence.length >= open.length) open = null
  }
  return open !== null
}
