import { endpoint } from '../../http/endpoint.ts'
import { insufficientPermission } from '../../users/access.ts'
import { invalidChannelId, requireAdministrableChannel } from '../access.ts'
import { alreadyArchived, archiveChannel } from '../archive-channel.ts'
import { lockChannel } from '../queries.ts'

export const archiveChannelEndpoint = endpoint({
  route: 'DELETE /streams/{stream_id}',
  summary: 'Archive a channel',
  description: 'Its messages stay readable, and its subscribers subscribed; nobody can post in it any more.',
  who: 'user',
  refuses: [invalidChannelId, insufficientPermission, alreadyArchived],
  async handle({ transaction, actor }, { stream_id: channelId }) {
    await transaction(async (tx) => {
      const { id } = await requireAdministrableChannel(tx.db, actor, channelId, tx.now)
      await archiveChannel(tx, actor.realm, await lockChannel(tx, id))
    })
    return {}
  },
})
