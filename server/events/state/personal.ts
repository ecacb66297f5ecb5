import { z } from 'zod'
import { hasZoomTokens } from '#integrations/zoom-tokens.ts'
import { withOptionalOwnFields, withoutOwnFields } from '#lib/protocol.ts'
import { draftJson, findDrafts, toDraftJson } from '#messages/drafts.ts'
import {
  findReminders,
  findScheduledMessages,
  reminderJson,
  scheduledMessageJson,
  toReminderJson,
  toScheduledMessageJson,
} from '#messages/scheduled-messages.ts'
import { findSnippets, snippetJson, toSnippetJson } from '#messages/snippets.ts'
import { findAlertWords } from '#people/alert-words.ts'
import {
  type DefaultSettingName,
  findDefaultSettings,
  isTimedSetting,
  legacyDisplaySettings,
  legacyNotificationSettings,
  notificationSounds,
  userSettingDefaults,
  userSettingTypes,
} from '#people/user-settings.ts'
import type { User } from '#people/users.ts'
import { type StateSlice, stateSlice } from './slice.ts'

export const alertWordSlice = stateSlice({
  types: ['alert_words'],
  returns: { alert_words: z.array(z.string()) },
  async fetch({ db, actor }) {
    return { alert_words: await findAlertWords(db, actor.id) }
  },
})

export const draftSlice = stateSlice({
  types: ['drafts'],
  returns: { drafts: z.array(draftJson).describe('In the order of their ids; none if they are not synchronized.') },
  async fetch({ db, actor }) {
    if (!actor.settings.enable_drafts_synchronization) return { drafts: [] }
    const drafts = await findDrafts(db, actor.id)
    // Drafts are ordered by id, which an edit does not change. A client that applies events to older state therefore
    // has the same order as a client that fetches the state later.
    return { drafts: drafts.sort((one, other) => one.id - other.id).map(toDraftJson) }
  },
})

export const scheduledMessageSlice = stateSlice({
  types: ['scheduled_messages'],
  returns: { scheduled_messages: z.array(scheduledMessageJson).describe('In the order of their ids.') },
  async fetch({ db, actor }) {
    const messages = await findScheduledMessages(db, actor.id)
    // As with drafts, the order must not depend on edits.
    return { scheduled_messages: messages.sort((one, other) => one.id - other.id).map(toScheduledMessageJson) }
  },
})

/** Clients of this feature level do not know reminders, so only those that ask for them get them. */
export const reminderSlice = stateSlice({
  types: ['reminders'],
  returns: {
    reminders: z
      .array(reminderJson)
      .describe('In the order of their ids; for clients that name the type or have `parley_extensions`.'),
  },
  async fetch({ db, actor, form, names }) {
    if (!form.takesExtensions && !names('reminders')) return {}
    const reminders = await findReminders(db, actor.id)
    return { reminders: reminders.sort((one, other) => one.id - other.id).map(toReminderJson) }
  },
})

export const zoomSlice = stateSlice({
  types: ['video_calls'],
  returns: { has_zoom_token: z.boolean().describe('Whether the user has connected their account at Zoom.') },
  fetch: async ({ db, actor }) => ({ has_zoom_token: await hasZoomTokens(db, actor.id) }),
})

export const snippetSlice = stateSlice({
  types: ['saved_snippets'],
  returns: { saved_snippets: z.array(snippetJson) },
  async fetch({ db, actor }) {
    return { saved_snippets: (await findSnippets(db, actor.id)).map(toSnippetJson) }
  },
})

const emojisetNames = { google: 'Google', 'google-blob': 'Google blobs', twitter: 'Twitter', text: 'Plain text' }

/** The available sounds, and the emoji styles with their display names. */
const choices = {
  available_notification_sounds: [...notificationSounds],
  emojiset_choices: Object.entries(emojisetNames).map(([key, text]) => ({ key, text })),
}

const choiceFields = {
  available_notification_sounds: z.array(z.string()),
  emojiset_choices: z.array(z.strictObject({ key: z.string(), text: z.string() })),
}

const withoutTimed = <Values extends object>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !isTimedSetting(name))) as Pick<
    Values,
    DefaultSettingName & keyof Values
  >

const settingFields = { ...userSettingTypes, ...choiceFields, timezone: z.string() }

const toSettingsJson = (user: User) => ({ ...user.settings, ...choices, timezone: user.timezone })

/** Settings that only this server has are sent to clients that accept them. */
export const userSettingsSlice = stateSlice({
  types: ['user_settings'],
  returns: {
    user_settings: z.strictObject(withOptionalOwnFields(settingFields)),
  },
  fetch({ actor, form }) {
    const settings = toSettingsJson(actor)
    return { user_settings: form.takesExtensions ? settings : withoutOwnFields(settingFields, settings) }
  },
})

const defaultFields = { ...withoutTimed(userSettingTypes), ...choiceFields }

/** Settings that only this server has are sent to clients that accept them. */
export const defaultSettingsSlice = stateSlice({
  types: ['realm_user_settings_defaults'],
  returns: {
    realm_user_settings_defaults: z
      .strictObject(withOptionalOwnFields(defaultFields))
      .describe('The initial personal settings of new users.'),
  },
  async fetch({ db, actor, form }) {
    const chosen = await findDefaultSettings(db, actor.realmId)
    const defaults = { ...withoutTimed(userSettingDefaults), ...chosen, ...choices }
    const sent = form.takesExtensions ? defaults : withoutOwnFields(defaultFields, defaults)
    return { realm_user_settings_defaults: sent }
  },
})

type SettingField = keyof typeof settingFields

/** Sends some fields of `user_settings` also at the top level, for clients that do not know `user_settings`. */
const legacySlice = <const Type extends string>(
  type: Type,
  names: readonly SettingField[],
): StateSlice<readonly [Type]> => ({
  types: [type],
  returns: pick(settingFields, names),
  fetch: ({ actor, form }) => (form.takesUserSettings ? {} : pick(toSettingsJson(actor), names)),
})

const pick = <Values extends Record<SettingField, unknown>>(values: Values, names: readonly SettingField[]) =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Record<string, Values[SettingField]>

export const legacySettingsSlices = [
  legacySlice('update_display_settings', [...legacyDisplaySettings, 'emojiset_choices']),
  legacySlice('update_global_notifications', [...legacyNotificationSettings, 'available_notification_sounds']),
] as const
