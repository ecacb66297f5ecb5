import { storesPersonalData } from '../../../store/browser/personal-data.ts'
import { type Emoji, keyOfEmoji } from '../../emoji/emoji.ts'

/** The number of reactions that are remembered. */
const MAX_KEPT = 5

const COMMON: readonly Emoji[] = [
  { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' },
  { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' },
  { emoji_name: 'heart', emoji_code: '2764', reaction_type: 'unicode_emoji' },
  { emoji_name: 'joy', emoji_code: '1f602', reaction_type: 'unicode_emoji' },
  { emoji_name: 'eyes', emoji_code: '1f440', reaction_type: 'unicode_emoji' },
]

const storageKey = (userId: number) => `parley.reactions.${userId}`

/** Returns the `count` emoji that the user reacted with last in this browser, filled up with common ones. */
export function recentReactions(userId: number, count: number): readonly Emoji[] {
  const kept = readKept(userId)
  const keys = new Set(kept.map(keyOfEmoji))
  return [...kept, ...COMMON.filter((emoji) => !keys.has(keyOfEmoji(emoji)))].slice(0, count)
}

function readKept(userId: number): Emoji[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey(userId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isEmoji) : []
  } catch {
    return []
  }
}

const isEmoji = (value: unknown): value is Emoji => {
  const { emoji_name, emoji_code, reaction_type } = (value ?? {}) as Partial<Emoji>
  return [emoji_name, emoji_code, reaction_type].every((part) => typeof part === 'string')
}

export function addRecentReaction(userId: number, { emoji_name, emoji_code, reaction_type }: Emoji): void {
  if (!storesPersonalData()) return
  const emoji = { emoji_name, emoji_code, reaction_type }
  const others = readKept(userId).filter((one) => keyOfEmoji(one) !== keyOfEmoji(emoji))
  try {
    localStorage.setItem(storageKey(userId), JSON.stringify([emoji, ...others].slice(0, MAX_KEPT)))
  } catch {
    // Without storage, the toolbar offers the common ones.
  }
}
