import { archiveChannelEndpoint } from './endpoints/archive-channel.ts'
import { addDefaultChannel, removeDefaultChannel } from './endpoints/default-channels.ts'
import { getChannel } from './endpoints/get-channel.ts'
import { getChannelId } from './endpoints/get-channel-id.ts'
import { getChannelEmailAddress } from './endpoints/get-email-address.ts'
import { listChannels } from './endpoints/list-channels.ts'
import { listSubscribers } from './endpoints/list-subscribers.ts'
import { listTopics } from './endpoints/list-topics.ts'
import { updateChannelEndpoint } from './endpoints/update-channel.ts'

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
