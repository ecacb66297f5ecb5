import { endpoint } from '../../http/endpoint.ts'
import { lockRealm } from '../../organizations/realms/queries.ts'
import { invalidChannelId, mayNotAdminister, requireAdministrableChannel } from '../access.ts'
import { alreadyArchived, archiveChannel } from '../archive-channel.ts'
import { postArchiveNotice } from '../operations/channel-notices.ts'
import { lockChannel } from '../queries.ts'

export const archiveChannelEndpoint = endpoint({
  route: 'DELETE /streams/{stream_id}',
  summary: 'Archive a channel',
  description: 'Its messages stay readable, and its subscribers subscribed; nobody can post in it any more.',
  who: 'user',
  refuses: [invalidChannelId, mayNotAdminister, alreadyArchived],
  async handle({ transaction, actor }, { stream_id: channelId }) {
    await transaction(async (tx) => {
      const { id } = await requireAdministrableChannel(tx.db, actor, channelId, tx.now)
      const channel = await lockChannel(tx, id)
      // Locked before a message is saved, as by everybody who does both.
      const realm = await lockRealm(tx, actor.realmId)
      await postArchiveNotice(tx, actor, channel)
      await archiveChannel(tx, realm, channel)
    })
    return {}
  },
})
