import type { Shape } from './shape.ts'

/** Leaves out accounts that the recipients cannot see, for clients that do not need them. */
export const shapeUser: Shape<'realm_user'> = (payload, form) => {
  if (payload.op !== 'add') return payload
  const { is_unknown: isUnknown, ...event } = payload
  return isUnknown && form.omitsUnknownUsers ? [] : event
}

/** Gives the server's own emoji the type name that the client knows. */
export const shapeStatus: Shape<'user_status'> = (payload, form) =>
  payload.reaction_type === 'service_extra_emoji' ? { ...payload, reaction_type: form.extraEmojiType } : payload

/** Clients with the slim form identify users by their ids alone. */
export const shapePresence: Shape<'presence'> = (payload, form) => {
  if (!form.hasSlimPresence) return payload
  const { email: _, ...slim } = payload
  return slim
}

/** For clients that do not know deactivated groups, a group is removed when it is deactivated. */
export const shapeUserGroup: Shape<'user_group'> = (payload, form) => {
  if (payload.op === 'add') {
    const { is_back: isBack, ...event } = payload
    // Clients that know deactivated groups still have it.
    return isBack && form.includesDeactivatedGroups ? [] : event
  }
  if (form.includesDeactivatedGroups || payload.op !== 'update' || payload.data.deactivated !== true) return payload
  return { type: 'user_group', op: 'remove', group_id: payload.group_id }
}

/** Linkifiers are only for clients that know URL templates. */
export const shapeLinkifiers: Shape<'realm_linkifiers'> = (payload, form) =>
  form.takesLinkifierTemplates ? payload : []

/** Clients that know `user_settings` receive the change there. */
export const shapeDisplaySetting: Shape<'update_display_settings'> = (payload, form) =>
  form.takesUserSettings ? [] : payload

/** Clients that know `user_settings` receive the change there. */
export const shapeNotificationSetting: Shape<'update_global_notifications'> = (payload, form) =>
  form.takesUserSettings ? [] : payload
