import type { ChannelSettingName } from '#channels/channel.ts'
import { t } from '../../../text/t.ts'

/** The labels of channel permissions, in the order in which they are shown. */
export const CHANNEL_PERMISSIONS: Readonly<Record<ChannelSettingName, { label: string; hint?: string }>> = {
  can_send_message_group: { label: t('Who can post?') },
  can_subscribe_group: {
    label: t('Who can subscribe?'),
    hint: t('Applies to private channels. Any member can join a public channel.'),
  },
  can_add_subscribers_group: {
    label: t('Who can add subscribers?'),
    hint: t('People who can administer the channel or add subscribers to any channel always can, too.'),
  },
  can_remove_subscribers_group: {
    label: t('Who can remove subscribers?'),
    hint: t('People who can administer the channel always can, too.'),
  },
  can_administer_channel_group: {
    label: t('Who can administer the channel?'),
    hint: t('They can change its name, description and settings. Organization administrators always can, too.'),
  },
}

/** Permissions that give access to a private channel. */
export const READ_ACCESS_PERMISSIONS: ReadonlySet<ChannelSettingName> = new Set([
  'can_subscribe_group',
  'can_add_subscribers_group',
])
