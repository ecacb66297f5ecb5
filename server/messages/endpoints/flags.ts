import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
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
  summary: 'Add or remove a personal flag on messages',
  description:
    'The request fails if a message does not exist or you may not read it, except that `read` ignores such messages.',
  who: 'user',
  params: {
    messages: z.array(z.int()),
    op: z.string().meta({ enum: ['add', 'remove'] }),
    flag: z.string().describe('`read`, `starred` or `collapsed`.'),
  },
  returns: {
    messages: z.array(z.int()).describe('The messages that now have the flag, or lack it after `remove`.'),
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .describe('Channels that you are not subscribed to. Their messages cannot be marked as unread.'),
  },
  refuses: [invalidMessage, invalidFlagOperation, invalidFlag, flagNotEditable],
  async handle({ transaction, actor }, { messages, op, flag }) {
    const request = { messageIds: messages, op: requireFlagOperation(op), flag: requireEditableFlag(flag) }
    const { messageIds, ignoredChannelIds } = await transaction((tx) => updateFlags(tx, actor, request))
    return { messages: messageIds, ignored_because_not_subscribed_channels: ignoredChannelIds }
  },
})
