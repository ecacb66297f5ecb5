import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import {
  addSubmessage,
  badWidgetData,
  mayNotAttach,
  submessageNotJson,
  tooManyOwnSubmessages,
  tooManySubmessages,
} from '../widgets/add-submessage.ts'
import { MAX_SUBMESSAGE_LENGTH } from '../widgets/submessage-limits.ts'

export const postSubmessage = endpoint({
  route: 'POST /submessage',
  summary: 'Attach a submessage to a message, for example a vote in a poll',
  who: 'user',
  params: {
    message_id: z.int(),
    msg_type: z.enum(['widget']),
    content: z
      .string()
      .max(MAX_SUBMESSAGE_LENGTH)
      .describe('JSON. For a poll or to-do list, one of the changes that clients make to it.'),
  },
  refuses: [invalidMessage, submessageNotJson, mayNotAttach, badWidgetData, tooManySubmessages, tooManyOwnSubmessages],
  async handle({ transaction, actor }, params) {
    const given = { messageId: params.message_id, msgType: params.msg_type, content: params.content }
    await transaction((tx) => addSubmessage(tx, actor, given))
    return {}
  },
})
