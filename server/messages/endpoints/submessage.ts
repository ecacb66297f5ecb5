import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import { addSubmessage, mayNotAttach, submessageNotJson } from '../reactions/submessages.ts'

export const postSubmessage = endpoint({
  route: 'POST /submessage',
  summary: 'Attach a submessage to a message, as polls do',
  who: 'user',
  params: {
    message_id: z.int(),
    msg_type: z.enum(['widget']),
    content: z.string().describe('JSON.'),
  },
  refuses: [invalidMessage, submessageNotJson, mayNotAttach],
  async handle({ transaction, actor }, params) {
    const given = { messageId: params.message_id, msgType: params.msg_type, content: params.content }
    await transaction((tx) => addSubmessage(tx, actor, given))
    return {}
  },
})
