import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { storesPersonalData } from '../../browser/personal-data.ts'
import { type Emoji, keyOfEmoji } from '../../emoji/emoji.ts'
import type { Message } from '../../messages/message.ts'
import { toAppError } from '../../store/app-error.ts'
import { showToast } from '../../ui/toasts.ts'

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

function addRecentReaction(userId: number, { emoji_name, emoji_code, reaction_type }: Emoji): void {
  if (!storesPersonalData()) return
  const emoji = { emoji_name, emoji_code, reaction_type }
  const others = readKept(userId).filter((one) => keyOfEmoji(one) !== keyOfEmoji(emoji))
  try {
    localStorage.setItem(storageKey(userId), JSON.stringify([emoji, ...others].slice(0, MAX_KEPT)))
  } catch {
    // Without storage, the toolbar offers the common ones.
  }
}

export const THUMBS_UP: Emoji = { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' }

/** Error codes for a reaction that is already in the requested state. */
const ALREADY_DONE = ['REACTION_ALREADY_EXISTS', 'REACTION_DOES_NOT_EXIST']

/** Adds or removes the user's reaction. The page changes when the event arrives. An error is shown in a toast. */
export async function toggleReaction({ id, reactions }: Message, emoji: Emoji, ownId: number): Promise<void> {
  const isThere = reactions.some((one) => one.user_id === ownId && keyOfEmoji(one) === keyOfEmoji(emoji))
  const route = isThere ? 'DELETE /messages/{message_id}/reactions' : 'POST /messages/{message_id}/reactions'
  const { emoji_name, emoji_code, reaction_type } = emoji
  if (!isThere) addRecentReaction(ownId, emoji)
  await call(route, { message_id: id, emoji_name, emoji_code, reaction_type }).catch((error: unknown) => {
    if (error instanceof ApiError && ALREADY_DONE.includes(error.code)) return
    showToast(toAppError(error).message, { kind: 'error' })
  })
}
