import { invalidChannelId, mayNotAdminister, requireAdministrableChannel } from '#channels/access.ts'
import { alreadyArchived, archiveChannel } from '#channels/archive-channel.ts'
import { lockChannel } from '#channels/queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { lockRealm } from '#realms/queries.ts'
import { postArchiveNotice } from './post-channel-notices.ts'

export const archiveChannelEndpoint = endpoint({
  route: 'DELETE /streams/{stream_id}',
  summary: 'Archive a channel',
  description: 'Messages stay readable and subscribers stay subscribed, but no one can post in the channel.',
  who: 'user',
  refuses: [invalidChannelId, mayNotAdminister, alreadyArchived],
  async handle({ transaction, actor }, { stream_id: channelId }) {
    await transaction(async (tx) => {
      const { id } = await requireAdministrableChannel(viewerOf(tx.db, actor, tx.now), channelId)
      const channel = await lockChannel(tx, id)
      // The realm is locked before a message is saved, as in every transaction that does both.
      const realm = await lockRealm(tx, actor.realmId)
      await postArchiveNotice(tx, actor, channel)
      await archiveChannel(tx, realm, channel)
    })
    return {}
  },
})
