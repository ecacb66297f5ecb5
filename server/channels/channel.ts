import type { GroupSetting, SystemGroupName } from '#realms/group-setting.ts'

export type Channel = {
  id: number
  realmId: number
  recipientId: number
  name: string
  description: string
  renderedDescription: string
  isPrivate: boolean
  isWebPublic: boolean
  /** True if subscribers may read messages that were sent before they joined. */
  isHistoryShared: boolean
  creatorId: number | null
  createdAt: number
  archivedAt: number | null
  messageRetentionDays: number | null
  settings: ChannelSettings
}

/** The defaults of the permissions of a channel, by API name. */
export const channelSettingDefaults = {
  can_add_subscribers_group: 'role:nobody',
  can_administer_channel_group: 'creator',
  can_remove_subscribers_group: 'role:administrators',
  can_send_message_group: 'role:everyone',
  can_subscribe_group: 'role:nobody',
} as const satisfies Record<string, SystemGroupName | 'creator'>

export type ChannelSettingName = keyof typeof channelSettingDefaults

export const channelSettingNames = Object.keys(channelSettingDefaults) as ChannelSettingName[]

/** For each permission, the system groups that cannot be its value. Some permissions cannot be given to guests. */
export const channelSettingExclusions: Record<ChannelSettingName, readonly SystemGroupName[]> = {
  can_add_subscribers_group: ['role:internet', 'role:everyone'],
  can_administer_channel_group: ['role:internet', 'role:everyone'],
  can_remove_subscribers_group: ['role:internet'],
  can_send_message_group: ['role:internet'],
  can_subscribe_group: ['role:internet', 'role:everyone'],
}

export type ChannelSettings = Record<ChannelSettingName, GroupSetting>

/** Returns the settings of a channel that `creatorId` created. Settings that were never changed have their defaults. */
export function readChannelSettings(changed: string, creatorId: number | null): ChannelSettings {
  const creator: GroupSetting =
    creatorId === null ? 'role:nobody' : { direct_members: [creatorId], direct_subgroups: [] }
  const defaults = Object.entries(channelSettingDefaults).map(([name, fallback]) => [
    name,
    fallback === 'creator' ? creator : fallback,
  ])
  return { ...Object.fromEntries(defaults), ...(JSON.parse(changed) as Partial<ChannelSettings>) }
}
