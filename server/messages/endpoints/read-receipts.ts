import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import { readReceiptsDisabled, requireReadReceipts } from '../flags/read-receipts.ts'

export const getReadReceipts = endpoint({
  route: 'GET /messages/{message_id}/read_receipts',
  summary: 'List the users who have read a message',
  description: 'Does not include the sender or users who have turned off read receipts.',
  who: 'user',
  returns: { user_ids: z.array(z.int()) },
  refuses: [invalidMessage, readReceiptsDisabled],
  async handle({ db, actor, clock }, { message_id: messageId }) {
    return { user_ids: await requireReadReceipts(viewerOf(db, actor, clock.now()), messageId) }
  },
})
