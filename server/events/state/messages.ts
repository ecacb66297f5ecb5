import { z } from 'zod'
import { findNewestMessageId } from '#people/users/newest-message.ts'
import { findConversationsOf, findStarredIds } from './queries.ts'
import { stateSlice } from './slice.ts'

const NO_MESSAGE = -1

/** The maximum number of direct conversations in the state. Those with the newest messages are included. */
const MAX_CONVERSATIONS = 1000

export const messageSlice = stateSlice({
  types: ['message'],
  returns: { max_message_id: z.int().describe('The newest message that you received; -1 when there is none.') },
  async fetch({ db, actor, form }) {
    const newestId = await findNewestMessageId(db, actor.id, { withArchived: form.takesArchivedChannels })
    return { max_message_id: newestId ?? NO_MESSAGE }
  },
})

export const starredMessagesSlice = stateSlice({
  types: ['starred_messages'],
  returns: { starred_messages: z.array(z.int()) },
  async fetch({ db, actor }) {
    return { starred_messages: await findStarredIds(db, actor.id) }
  },
})

export const recentConversationsSlice = stateSlice({
  types: ['recent_private_conversations'],
  returns: {
    recent_private_conversations: z
      .array(z.strictObject({ max_message_id: z.int(), user_ids: z.array(z.int()).describe('Without your own id.') }))
      .describe('Direct messages, the conversation with the newest one first; at most 1,000.'),
  },
  async fetch({ db, actor }) {
    const conversations = await findConversationsOf(db, actor.id)
    return {
      recent_private_conversations: conversations
        .sort((one, other) => other.newestId - one.newestId)
        .slice(0, MAX_CONVERSATIONS)
        .map(({ participantIds, newestId }) => ({
          max_message_id: newestId,
          user_ids: participantIds.filter((id) => id !== actor.id),
        })),
    }
  },
})
