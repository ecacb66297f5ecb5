import { addDefaultChannel, removeDefaultChannel } from '#channels/endpoints/default-channels.ts'
import { getChannel } from '#channels/endpoints/get-channel.ts'
import { getChannelId } from '#channels/endpoints/get-channel-id.ts'
import { getChannelEmailAddress } from '#channels/endpoints/get-email-address.ts'
import { listChannels } from '#channels/endpoints/list-channels.ts'
import { listSubscribers } from '#channels/endpoints/list-subscribers.ts'
import { listTopics } from '#messages/endpoints/list-topics.ts'
import { archiveChannelEndpoint } from './archive-channel-endpoint.ts'
import { updateChannelEndpoint } from './update-channel-endpoint.ts'

export const channelEndpoints = [
  listChannels,
  getChannel,
  updateChannelEndpoint,
  archiveChannelEndpoint,
  listSubscribers,
  getChannelId,
  getChannelEmailAddress,
  listTopics,
  addDefaultChannel,
  removeDefaultChannel,
]
