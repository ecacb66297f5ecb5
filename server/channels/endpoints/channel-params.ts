import { groupSettingUpdate, groupSettingValue } from '#realms/group-setting.ts'

const meanings = {
  can_add_subscribers_group: 'Who may subscribe others',
  can_administer_channel_group: 'Who may change the channel, in addition to administrators of the organization',
  can_remove_subscribers_group: 'Who may unsubscribe others',
  can_send_message_group: 'Who may post',
  can_subscribe_group: 'Who may join, if the channel is private',
}

const form = 'the id of a user group, or `direct_members` and `direct_subgroups`'

const settingParam = (meaning: string) => groupSettingValue.optional().describe(`${meaning}: ${form}.`)

const updateParam = (meaning: string) =>
  groupSettingUpdate
    .optional()
    .describe(`${meaning}: \`new\` and optionally \`old\`, which must match the current value; each is ${form}.`)

/** The parameters for the permissions of a new channel. */
export const channelSettingParams = {
  can_add_subscribers_group: settingParam(meanings.can_add_subscribers_group),
  can_administer_channel_group: settingParam(meanings.can_administer_channel_group),
  can_remove_subscribers_group: settingParam(meanings.can_remove_subscribers_group),
  can_send_message_group: settingParam(meanings.can_send_message_group),
  can_subscribe_group: settingParam(meanings.can_subscribe_group),
}

/** The parameters for changes to the permissions of a channel. */
export const channelSettingUpdateParams = {
  can_add_subscribers_group: updateParam(meanings.can_add_subscribers_group),
  can_administer_channel_group: updateParam(meanings.can_administer_channel_group),
  can_remove_subscribers_group: updateParam(meanings.can_remove_subscribers_group),
  can_send_message_group: updateParam(meanings.can_send_message_group),
  can_subscribe_group: updateParam(meanings.can_subscribe_group),
}
