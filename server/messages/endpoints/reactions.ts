import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import {
  addReaction,
  noEmojiNamed,
  noSuchReaction,
  reactionExists,
  removeReaction,
  tooManyReactions,
} from '../reactions/change-reactions.ts'
import * as emoji from '../reactions/emoji.ts'

const code = z.string().optional().describe('Distinguishes emoji with the same name. Looked up by name if omitted.')
const type = z.string().optional().describe('`unicode_emoji`, `realm_emoji` or `service_extra_emoji`.')

export const postReaction = endpoint({
  route: 'POST /messages/{message_id}/reactions',
  summary: 'React to a message with an emoji',
  who: 'user',
  params: { emoji_name: z.string(), emoji_code: code, reaction_type: type },
  refuses: [
    invalidMessage,
    reactionExists,
    emoji.noSuchEmoji,
    emoji.invalidEmojiCode,
    emoji.invalidEmojiName,
    emoji.invalidEmojiType,
    emoji.invalidCustomEmoji,
    emoji.customEmojiDeactivated,
    tooManyReactions,
  ],
  async handle({ transaction, actor }, params) {
    const request = { name: params.emoji_name, code: params.emoji_code, type: params.reaction_type }
    await transaction((tx) => addReaction(tx, actor, params.message_id, request))
    return {}
  },
})

export const deleteReaction = endpoint({
  route: 'DELETE /messages/{message_id}/reactions',
  summary: 'Remove a reaction',
  who: 'user',
  params: { emoji_name: z.string().optional(), emoji_code: code, reaction_type: type },
  refuses: [invalidMessage, noEmojiNamed, noSuchReaction, emoji.noSuchEmoji, emoji.invalidEmojiType],
  async handle({ transaction, actor }, params) {
    const request = { name: params.emoji_name, code: params.emoji_code, type: params.reaction_type }
    await transaction((tx) => removeReaction(tx, actor, params.message_id, request))
    return {}
  },
})
