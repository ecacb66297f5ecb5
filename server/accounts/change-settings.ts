import { emitAllDrafts } from '#messages/drafts/change-drafts.ts'
import { saveUserSettings } from '#people/users/queries.ts'
import type { UserSettingName, UserSettings } from '#people/users/settings/settings.ts'
import type { Actor } from '#people/users/user.ts'
import { applySharingChange } from '#presence/apply-sharing-change.ts'
import { saveHiddenPresence } from '#presence/hidden-presences.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitAddressChange } from './emit-address-change.ts'
import { emitExportConsent } from './emit-export-consent.ts'
import { emitUserSetting } from './emit-user-setting.ts'

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
