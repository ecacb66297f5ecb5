import type { z } from 'zod'
import { subscriptionChanged } from '#channels/audience.ts'
import { findChannelsById } from '#channels/queries.ts'
import { findSubscriptions, saveNotification } from '#channels/subscriptions.ts'
import { refusal } from '#lib/errors.ts'
import { emitAllDrafts } from '#messages/drafts.ts'
import { saveUserSettings } from '#people/user-queries.ts'
import {
  NO_SOUND,
  notificationSounds,
  TIMED_SETTINGS,
  type UserSettingName,
  type UserSettings,
  userSettingDeclarations,
} from '#people/user-settings.ts'
import type { Actor } from '#people/users.ts'
import { applySharingChange, saveHiddenPresence } from '#presence/change-presence.ts'
import { isLanguage } from '#realms/realm-settings.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitAddressChange, emitExportConsent, emitUserSetting } from './user-events.ts'

// Changes of the settings of users. Other users receive the address and presence that they can see as a result; the
// user's own clients receive the settings in the form that they support.

type UserSettingChanges = { [Name in UserSettingName]?: UserSettings[Name] | undefined }

/** The board of the organization, fetched before the transaction, and the collection of all boards. */
export type PresenceBoards = Parameters<typeof applySharingChange>[1]

/**
 * Changes personal settings, and emits to other users the address and presence that they can see as a result.
 * `isPresent` is false if the user did not make the change. A user who starts to share presence is then not shown as
 * active.
 */
export async function changeUserSettings(
  tx: Transaction,
  account: Actor,
  given: UserSettingChanges,
  presence: PresenceBoards,
  { isPresent = true } = {},
): Promise<void> {
  const changed = withoutUnchanged(account.settings, withHidingTime(account.settings, given))
  const names = Object.keys(changed) as UserSettingName[]
  if (names.length === 0) return
  await saveUserSettings(tx, account.id, changed)
  const after = { ...account, settings: { ...account.settings, ...changed } }
  for (const name of names) emitUserSetting(tx, account.realm, account, name, after.settings[name])

  if (changed.enable_drafts_synchronization === true) await emitAllDrafts(tx, after)
  if (changed.email_address_visibility !== undefined) await emitAddressChange(tx, account.realm, account, after)
  if (changed.allow_private_data_export !== undefined) await emitExportConsent(tx, account.realm, after)
  if (changed.presence_hidden_until !== undefined)
    await saveHiddenPresence(tx, account.id, changed.presence_hidden_until || null)
  if (changed.presence_enabled !== undefined)
    await applySharingChange(tx, presence, after, changed.presence_enabled, { isPresent })
}

/**
 * Adds the setting that follows from another one. Setting a time until which presence is hidden also hides presence,
 * and removing the time shows presence again. Hiding or showing presence without a time removes the time.
 */
function withHidingTime(current: UserSettings, given: UserSettingChanges): UserSettingChanges {
  const { presence_enabled: isSharing, presence_hidden_until: until } = given
  if (until !== undefined && until > 0) return { ...given, presence_enabled: false }
  if (isSharing === undefined && until === 0 && current.presence_hidden_until > 0)
    return { ...given, presence_enabled: true }
  return isSharing === undefined ? given : { ...given, presence_hidden_until: 0 }
}

function withoutUnchanged(current: UserSettings, given: UserSettingChanges): Partial<UserSettings> {
  const entries = Object.entries(given) as [UserSettingName, unknown][]
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && value !== current[name]))
}

/**
 * Disables all settings that make the server email the user about missed messages, and emits the changes to the user's
 * clients.
 */
export async function disableMissedMessageMail(
  tx: Transaction,
  account: Actor,
  presence: PresenceBoards,
): Promise<void> {
  const disabled = {
    enable_offline_email_notifications: false,
    enable_stream_email_notifications: false,
    enable_followed_topic_email_notifications: false,
  }
  await changeUserSettings(tx, account, disabled, presence)
  const subscriptions = await findSubscriptions(tx.db, account.id)
  const withMail = subscriptions.filter(({ notifications }) => notifications.email_notifications === true)
  const ids = withMail.map(({ channelId }) => channelId)
  for (const { id, archivedAt } of await findChannelsById(tx.db, account.realmId, ids)) {
    await saveNotification(tx, account.id, id, 'email_notifications', false)
    const channel = { id, isArchived: archivedAt !== null }
    tx.emit(account.realmId, subscriptionChanged(channel, 'email_notifications', false), [account.id])
  }
}

const unknownLanguage = refusal('BAD_REQUEST', 400, 'Invalid default_language', { field: 'default_language' })
const unknownSound = refusal('BAD_REQUEST', 400, "Invalid notification sound '{sound}'", {
  field: 'notification_sound',
})
const invalidBatchingPeriod = refusal('BAD_REQUEST', 400, 'Invalid email batching period: {seconds} seconds', {
  field: 'email_notifications_batching_period_seconds',
})

const timeNotInFuture = refusal('BAD_REQUEST', 400, 'Invalid {name}: the time is not in the future')

export const settingValueRefusals = [unknownLanguage, unknownSound, invalidBatchingPeriod] as const

export const timedSettingRefusals = [timeNotInFuture] as const

/** The maximum batching period of emails, in seconds. */
export const MAX_BATCHING_PERIOD = 7 * 86_400

type SettingValues = { [Name in keyof UserSettings]?: UserSettings[Name] | undefined }

/**
 * Refuses unknown languages, unknown sounds, and batching periods out of range. The types of these settings do not
 * exclude such values.
 */
export function requireSettingValues(given: SettingValues): void {
  const {
    default_language: language,
    notification_sound: sound,
    email_notifications_batching_period_seconds: seconds,
  } = given
  if (language !== undefined && !isLanguage(language)) throw unknownLanguage()
  if (sound !== undefined && sound !== NO_SOUND && !notificationSounds.includes(sound)) throw unknownSound({ sound })
  if (seconds !== undefined && (seconds < 1 || seconds > MAX_BATCHING_PERIOD)) {
    throw invalidBatchingPeriod({ seconds })
  }
}

/** Refuses times that are not in the future. 0 is allowed and means no time. */
export function requireFutureTimes(given: SettingValues, now: number): void {
  for (const name of TIMED_SETTINGS) {
    const time = given[name]
    if (time !== undefined && time !== 0 && time <= now) throw timeNotInFuture({ name })
  }
}

type Declarations = typeof userSettingDeclarations

/** The personal settings as optional parameters. */
export const settingParams = Object.fromEntries(
  Object.entries(userSettingDeclarations).map(([name, { type }]) => [name, type.optional()]),
) as { [Name in UserSettingName]: z.ZodOptional<Declarations[Name]['type']> }
