import { z } from 'zod'
import { viewerOf } from '../../groups/viewer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { invalidChannelId, requireChannel } from '../access.ts'

export const getChannelEmailAddress = endpoint({
  route: 'GET /streams/{stream_id}/email_address',
  summary: 'Get the email address of a channel',
  description: 'Always empty, because this server does not receive email.',
  who: 'user',
  returns: { email: z.literal('') },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, { stream_id }) {
    await requireChannel(viewerOf(db, actor, clock.now()), stream_id)
    return { email: '' as const }
  },
})
