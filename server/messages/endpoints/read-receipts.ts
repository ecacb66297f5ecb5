import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import { readReceiptsDisabled, requireReadReceipts } from '../flags/read-receipts.ts'

export const getReadReceipts = endpoint({
  route: 'GET /messages/{message_id}/read_receipts',
  summary: 'List who has read a message',
  description: 'Without its sender, and without those who do not let others know what they have read.',
  who: 'user',
  returns: { user_ids: z.array(z.int()) },
  refuses: [invalidMessage, readReceiptsDisabled],
  async handle({ db, actor, clock }, { message_id: messageId }) {
    return { user_ids: await requireReadReceipts(db, actor, messageId, clock.now()) }
  },
})
