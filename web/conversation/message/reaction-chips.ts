import { type Emoji, keyOfEmoji, readableName } from '../../emoji/emoji.ts'
import type { Message } from '../../messages/message.ts'
import { usePeople } from '../../store/people.ts'
import { joinNames } from '../../text/names.ts'
import { t } from '../../text/t.ts'

export type Reaction = Message['reactions'][number]

/** All reactions to a message with one emoji, in the order of first use. */
export type Chip = {
  /** The key of the emoji, which distinguishes emoji with the same name. */
  readonly key: string
  readonly emoji: Emoji
  readonly userIds: readonly number[]
}

export function toChips(reactions: readonly Reaction[]): Chip[] {
  const chips = new Map<string, Chip & { userIds: number[] }>()
  for (const { user_id, ...emoji } of reactions) {
    const key = keyOfEmoji(emoji)
    const chip = chips.get(key)
    if (chip === undefined) chips.set(key, { key, emoji, userIds: [user_id] })
    else if (!chip.userIds.includes(user_id)) chip.userIds.push(user_id)
  }
  return [...chips.values()]
}

/** The number of users to name before the others are only counted, in labels and in tooltips. */
const NAMED = 3
const NAMED_IN_TOOLTIP = 12

/** Returns the names of the users who reacted, with the user as the first: "you, Ben, and 3 others". */
export function namesOf(
  userIds: readonly number[],
  ownId: number,
  nameOf: (id: number) => string,
  maxNamed = NAMED,
): string {
  const others = userIds.filter((id) => id !== ownId).map(nameOf)
  const all = others.length < userIds.length ? [t('you'), ...others] : others
  const named = all.length > maxNamed + 1 ? all.slice(0, maxNamed) : all
  const rest = all.length - named.length
  return joinNames(rest > 0 ? [...named, t('{rest, plural, one {# other} other {# others}}', { rest })] : named)
}

/** Returns the accessible name of a chip: emoji, count, names, and the effect of a click. */
export function nameOfChip({ emoji, userIds }: Chip, ownId: number, nameOf: (id: number) => string): string {
  const name = readableName(emoji.emoji_name)
  const [count, people] = [userIds.length, namesOf(userIds, ownId, nameOf)]
  return userIds.includes(ownId)
    ? t('{name} {count}, {people}; remove your reaction', { name, count, people })
    : t('{name} {count}, {people}; add this reaction', { name, count, people })
}

/** Returns the tooltip of a chip: the users who reacted, and the name of the emoji. */
export function tooltipOfChip({ emoji, userIds }: Chip, ownId: number, nameOf: (id: number) => string): string {
  const people = namesOf(userIds, ownId, nameOf, NAMED_IN_TOOLTIP)
  return t('{people} reacted with :{emoji}:', {
    people: people.charAt(0).toUpperCase() + people.slice(1),
    emoji: emoji.emoji_name,
  })
}

/** Returns a function that names a user by id. */
export function useNames(): (userId: number) => string {
  const find = usePeople()
  return (userId) => find(userId)?.full_name ?? t('someone')
}
