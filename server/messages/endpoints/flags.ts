import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import {
  flagNotEditable,
  invalidFlag,
  invalidFlagOperation,
  requireEditableFlag,
  requireFlagOperation,
  updateFlags,
} from '../flags/update-flags.ts'

export const postFlags = endpoint({
  route: 'POST /messages/flags',
  summary: "Set or take away one of one's own flags on messages",
  description: 'A message that is not there, or may not be read, refuses the whole; but reading it changes nothing.',
  who: 'user',
  params: {
    messages: z.array(z.int()),
    op: z.string().meta({ enum: ['add', 'remove'] }),
    flag: z.string().describe('`read`, `starred` or `collapsed`.'),
  },
  returns: {
    messages: z.array(z.int()).describe('Those of the messages that have the flag, or lack it, now.'),
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .describe('Channels whose messages stay read, as nothing is unread in a channel without a subscription.'),
  },
  refuses: [invalidMessage, invalidFlagOperation, invalidFlag, flagNotEditable],
  async handle({ transaction, actor }, { messages, op, flag }) {
    const request = { messageIds: messages, op: requireFlagOperation(op), flag: requireEditableFlag(flag) }
    const { messageIds, ignoredChannelIds } = await transaction((tx) => updateFlags(tx, actor, request))
    return { messages: messageIds, ignored_because_not_subscribed_channels: ignoredChannelIds }
  },
})
