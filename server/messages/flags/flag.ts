/** What a person has done with a message or it means to them, as bits, in the order in which clients see them. */
export const Flag = {
  read: 1 << 0,
  starred: 1 << 1,
  collapsed: 1 << 2,
  mentioned: 1 << 3,
  stream_wildcard_mentioned: 1 << 4,
  topic_wildcard_mentioned: 1 << 5,
  group_mentioned: 1 << 6,
  force_expand: 1 << 7,
  force_collapse: 1 << 8,
  has_alert_word: 1 << 9,
  historical: 1 << 10,
} as const

export type FlagName = keyof typeof Flag

const flags = Object.entries(Flag) as [FlagName, number][]

/** The flags of those whom a message mentions together with everybody. */
export const ANY_WILDCARD = Flag.stream_wildcard_mentioned | Flag.topic_wildcard_mentioned

/** The flags of those whom a message mentions. */
export const MENTION_FLAGS = Flag.mentioned | ANY_WILDCARD | Flag.group_mentioned

/** All flags that follow from the text of a message. */
export const TEXT_FLAGS = MENTION_FLAGS | Flag.has_alert_word

/** On records of messages that were moved to where their holder was not subscribed; no client sees it. */
export const MOVED_TO_UNSUBSCRIBED = 1 << 11

/** What few records are: the database has an index of them, whose condition this number is. */
export const INDEXED_FLAGS = TEXT_FLAGS | Flag.starred | Flag.historical | MOVED_TO_UNSUBSCRIBED

/** The flags that people set and take away themselves. */
export const editableFlags = ['read', 'starred', 'collapsed'] as const

export type EditableFlag = (typeof editableFlags)[number]

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(Flag, name)
}

/** The flags of a record in the order of the wire; null stands for somebody who has no record of the message. */
export function toFlagsJson(bits: number | null): string[] {
  if (bits === null) return ['read', 'historical']
  const names: string[] = []
  for (const [name, bit] of flags) if (bits & bit) names.push(name)
  if (bits & ANY_WILDCARD) names.push('wildcard_mentioned')
  return names
}

const texts = new Map<number | null, string>()

/** The same as JSON. Of the few combinations that there are each is written once. */
export function toFlagsJsonText(bits: number | null): string {
  const known = texts.get(bits)
  if (known !== undefined) return known
  const text = JSON.stringify(toFlagsJson(bits))
  texts.set(bits, text)
  return text
}
