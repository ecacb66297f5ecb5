import { ApiError } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { Message } from '../../../store/messages/message.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { type Emoji, keyOfEmoji } from '../../emoji/emoji.ts'

export const THUMBS_UP: Emoji = { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' }

/** What the server says where a reaction already is as it was to become. */
const IS_SO = ['REACTION_ALREADY_EXISTS', 'REACTION_DOES_NOT_EXIST']

/** Reacts with the emoji, or takes one's reaction with it back. The event of it changes what is shown; trouble is told. */
export async function toggleReaction({ id, reactions }: Message, emoji: Emoji, ownId: number): Promise<void> {
  const isThere = reactions.some((one) => one.user_id === ownId && keyOfEmoji(one) === keyOfEmoji(emoji))
  const route = isThere ? 'DELETE /messages/{message_id}/reactions' : 'POST /messages/{message_id}/reactions'
  const { emoji_name, emoji_code, reaction_type } = emoji
  await call(route, { message_id: id, emoji_name, emoji_code, reaction_type }).catch((error: unknown) => {
    if (error instanceof ApiError && IS_SO.includes(error.code)) return
    showToast(toAppError(error).message, { kind: 'error' })
  })
}
