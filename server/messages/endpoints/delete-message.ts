import { endpoint } from '#http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import { mayNotDelete, tooLateToDelete } from '../editing/delete-access.ts'
import { deleteMessage } from '../editing/delete-message.ts'

export const removeMessage = endpoint({
  route: 'DELETE /messages/{message_id}',
  summary: 'Delete a message for all users',
  who: 'user',
  refuses: [invalidMessage, mayNotDelete, tooLateToDelete],
  async handle({ transaction, actor }, params) {
    await transaction((tx) => deleteMessage(tx, actor, params.message_id))
    return {}
  },
})
