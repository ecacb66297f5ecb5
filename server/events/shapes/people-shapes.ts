import { ownUserSettings } from '#people/users/settings/settings.ts'
import { ownSettings } from '#realms/settings.ts'
import { toReferenceExport } from '#transfer/data-exports/data-export.ts'
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

/** Leaves out the email address for clients that asked for the slim form, which identifies users by id alone. */
export const shapePresence: Shape<'presence'> = (payload, form) => {
  if (!form.hasSlimPresence) return payload
  const { email: _, ...slim } = payload
  return slim
}

/** Reports the deactivation of a group as its removal to clients that do not know deactivated groups. */
export const shapeUserGroup: Shape<'user_group'> = (payload, form) => {
  if (payload.op === 'add') {
    const { is_back: isBack, ...event } = payload
    // Clients that know deactivated groups still have the group.
    return isBack && form.includesDeactivatedGroups ? [] : event
  }
  if (form.includesDeactivatedGroups || payload.op !== 'update' || payload.data.deactivated !== true) return payload
  return { type: 'user_group', op: 'remove', group_id: payload.group_id }
}

/** Leaves out linkifiers for clients that do not know URL templates. */
export const shapeLinkifiers: Shape<'realm_linkifiers'> = (payload, form) =>
  form.takesLinkifierTemplates ? payload : []

/** Leaves out the event for clients that know `user_settings`, because another event tells them about the change. */
export const shapeDisplaySetting: Shape<'update_display_settings'> = (payload, form) =>
  form.takesUserSettings ? [] : payload

/** Leaves out the event for clients that know `user_settings`, because another event tells them about the change. */
export const shapeNotificationSetting: Shape<'update_global_notifications'> = (payload, form) =>
  form.takesUserSettings ? [] : payload

/** Leaves out settings that only this server has, for clients that do not accept them. */
export const shapeUserSetting: Shape<'user_settings'> = (payload, form) =>
  ownUserSettings.has(payload.property) && !form.takesExtensions ? [] : payload

/** Leaves out settings that only this server has, for clients that do not accept them. */
export const shapeRealm: Shape<'realm'> = (payload, form) =>
  payload.op === 'update' && ownSettings.has(payload.property) && !form.takesExtensions ? [] : payload

/** Leaves out the sizes of exports for clients that do not accept them. */
export const shapeExports: Shape<'realm_export'> = (payload, form) =>
  form.takesExtensions ? payload : { ...payload, exports: payload.exports.map(toReferenceExport) }
