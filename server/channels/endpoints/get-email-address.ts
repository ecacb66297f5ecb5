import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { insufficientPermission, mustBeOwner, noSuchBot, requireManageableBot } from '#people/users/access.ts'
import { invalidChannelId, requireChannel } from '../access.ts'

export const getChannelEmailAddress = endpoint({
  route: 'GET /streams/{stream_id}/email_address',
  summary: 'Get the email address of a channel',
  description: 'Always empty, because this server does not receive email.',
  who: 'user',
  params: {
    sender_id: z.int().min(0).optional().describe('The sender of emails to the address: you, or one of your bots.'),
  },
  returns: { email: z.literal('') },
  refuses: [invalidChannelId, noSuchBot, insufficientPermission, mustBeOwner],
  async handle({ db, actor, clock }, { stream_id, sender_id }) {
    await requireChannel(viewerOf(db, actor, clock.now()), stream_id)
    if (sender_id !== undefined && sender_id !== actor.id) await requireManageableBot(db, actor, sender_id)
    return { email: '' as const }
  },
})
