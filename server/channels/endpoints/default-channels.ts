import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/users/access.ts'
import { invalidChannelId, requireChannel } from '../access.ts'
import { lockChannel } from '../queries.ts'
import { privateCannotBeDefault, setDefaultChannel } from '../set-default-channel.ts'

const params = { stream_id: z.int().describe('Id of the channel.') }

async function setDefault({ transaction, actor }: Call, channelId: number, isDefault: boolean): Promise<void> {
  requireAdministrator(actor)
  await transaction(async (tx) => {
    const { id } = await requireChannel(viewerOf(tx.db, actor, tx.now), channelId)
    const channel = await lockChannel(tx, id)
    if (channel.archivedAt !== null) throw invalidChannelId()
    await setDefaultChannel(tx, actor.realm, channel, isDefault)
  })
}

export const addDefaultChannel = endpoint({
  route: 'POST /default_streams',
  summary: 'Add a default channel',
  who: 'user',
  params,
  refuses: [mustBeAdministrator, invalidChannelId, privateCannotBeDefault],
  async handle(call, { stream_id: id }) {
    await setDefault(call, id, true)
    return {}
  },
})

export const removeDefaultChannel = endpoint({
  route: 'DELETE /default_streams',
  summary: 'Remove a default channel',
  who: 'user',
  params,
  refuses: [mustBeAdministrator, invalidChannelId],
  async handle(call, { stream_id: id }) {
    await setDefault(call, id, false)
    return {}
  },
})
