import type { ChannelSettingName } from '../../../../server/channels/channel.ts'
import { t } from '../../../text/t.ts'

/** What each permission of a channel is about, in the order in which they are shown. */
export const CHANNEL_PERMISSIONS: Readonly<Record<ChannelSettingName, { label: string; hint?: string }>> = {
  can_send_message_group: { label: t('Who can say something?') },
  can_subscribe_group: {
    label: t('Who can join by themselves?'),
    hint: t('It counts where the channel is private; a public one all members may join.'),
  },
  can_add_subscribers_group: {
    label: t('Who can add others?'),
    hint: t('Beside those who may change the channel, and those whom the organization lets add people anywhere.'),
  },
  can_remove_subscribers_group: {
    label: t('Who can remove others?'),
    hint: t('Beside those who may change the channel.'),
  },
  can_administer_channel_group: {
    label: t('Who can change the channel?'),
    hint: t('Its name, its description and all that is set here. Administrators of the organization always can.'),
  },
}

/** The permissions by which people come to read a private channel. */
export const READ_ACCESS_PERMISSIONS: ReadonlySet<ChannelSettingName> = new Set([
  'can_subscribe_group',
  'can_add_subscribers_group',
])
