import { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { Message } from '../../../store/messages/message.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { type Emoji, keyOfEmoji } from '../../emoji/emoji.ts'
import { addRecentReaction } from './recent-reactions.ts'

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
