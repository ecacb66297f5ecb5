import { type Channel, channelSettingNames } from '#channels/channel.ts'
import type { GroupIds } from './group-ids.ts'
import type { ChannelRow } from './tables.ts'

export function toChannelRow(channel: Channel, { idOf }: GroupIds): ChannelRow {
  return {
    id: channel.id,
    realm: channel.realmId,
    recipient: channel.recipientId,
    name: channel.name,
    description: channel.description,
    rendered_description: channel.renderedDescription,
    date_created: channel.createdAt,
    deactivated: channel.archivedAt !== null,
    invite_only: channel.isPrivate,
    is_web_public: channel.isWebPublic,
    history_public_to_subscribers: channel.isHistoryShared,
    message_retention_days: channel.messageRetentionDays,
    creator: channel.creatorId,
    ...Object.fromEntries(channelSettingNames.map((name) => [name, idOf(channel.settings[name])])),
  }
}
