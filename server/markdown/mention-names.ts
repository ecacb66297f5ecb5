/** The names that the caller has to look up before rendering a message. Each is listed once, as typed. */
export type MentionCandidates = {
  readonly userNames: readonly string[]
  readonly userIds: readonly number[]
  readonly groupNames: readonly string[]
  readonly channelNames: readonly string[]
  /** The topics of links that do not name a message. */
  readonly topics: readonly { readonly channel: string; readonly topic: string }[]
}

/** The largest possible id of a row. */
const LARGEST_ID = 2 ** 53 - 1

/**
 * Returns all names that `renderMarkdown` will look up. The result may contain further names, such as wildcards (`all`)
 * and names inside code.
 */
export function mentionCandidates(text: string): MentionCandidates {
  const users = namesIn(text, '@', /@_?\*\*(?=([^*]+)\*\*)/g)
  const known = users.map(userMentionName)
  const links = namesIn(text, '#', /#\*\*(?=([^*]+)\*\*)/g).map(splitChannelLink)
  return {
    userNames: users,
    userIds: unique(known.flatMap(({ id }) => (id === undefined ? [] : [id]))),
    groupNames: namesIn(text, '@', /@_?\*(?=([^*]+)\*)/g),
    channelNames: unique(links.map(({ channel }) => channel)),
    topics: links.flatMap(({ channel, topic, messageId }) =>
      topic === undefined || messageId !== undefined ? [] : [{ channel, topic }],
    ),
  }
}

/** The displayed names of system groups in mentions, as on the reference server. */
const systemGroupDisplayNames: Readonly<Record<string, string>> = {
  'role:nobody': 'Nobody',
  'role:owners': 'Owners',
  'role:administrators': 'Administrators',
  'role:moderators': 'Moderators',
  'role:fullmembers': 'Full members',
  'role:members': 'Members',
  'role:everyone': 'Everyone',
  'role:internet': 'Everyone on the internet',
}

export const groupDisplayName = (name: string): string => systemGroupDisplayNames[name.toLowerCase()] ?? name

/** Splits `Name|id`; without an id the whole text is the name. */
export function userMentionName(typed: string): { name: string; id?: number } {
  const match = /^(.*)\|(\d{1,16})$/s.exec(typed)
  const id = Number(match?.[2])
  return match && id <= LARGEST_ID ? { name: match[1] ?? '', id } : { name: typed }
}

/** Splits `channel>topic@messageId`; the name of a channel contains no `>`. */
export function splitChannelLink(typed: string): { channel: string; topic?: string; messageId?: number } {
  const at = typed.indexOf('>')
  if (at < 0) return { channel: typed }
  const channel = typed.slice(0, at)
  const topic = typed.slice(at + 1)
  const message = /^(.*)@(\d{1,16})$/s.exec(topic)
  const messageId = Number(message?.[2])
  return message && messageId <= LARGEST_ID ? { channel, topic: message[1] ?? '', messageId } : { channel, topic }
}

/**
 * Returns each matching name once. Two names may share their asterisks; only parsing decides which of the two counts.
 */
function namesIn(text: string, sign: string, pattern: RegExp): string[] {
  if (!text.includes(sign)) return []
  return unique([...text.matchAll(pattern)].map((match) => match[1] ?? ''))
}

function unique<Value>(values: Value[]): Value[] {
  return [...new Set(values)]
}
