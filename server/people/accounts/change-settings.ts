import { tellOfDrafts } from '../../messages/drafts/change-drafts.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { presenceSharingChanged } from '../../presence/switch-sharing.ts'
import { saveUserSettings } from '../users/queries.ts'
import type { UserSettingName, UserSettings } from '../users/settings/settings.ts'
import type { Actor } from '../users/user.ts'
import { tellOfAddress } from './address-effects.ts'
import { tellOfExportConsent } from './export-consent.ts'
import { tellOfSetting } from './tell-of-setting.ts'

export type GivenSettings = { [Name in UserSettingName]?: UserSettings[Name] | undefined }

/** The board of the organization, fetched before the transaction, and the boards that it is one of. */
export type Presence = Parameters<typeof presenceSharingChanged>[1]

/** Changes the personal settings given, with what others see of it: addresses, and whether somebody is there. */
export async function changeUserSettings(
  tx: Transaction,
  account: Actor,
  given: GivenSettings,
  presence: Presence,
): Promise<void> {
  const changed = differing(account.settings, given)
  const names = Object.keys(changed) as UserSettingName[]
  if (names.length === 0) return
  await saveUserSettings(tx, account.id, changed)
  for (const name of names) tellOfSetting(tx, account.realm, account, name, changed[name])

  const after = { ...account, settings: { ...account.settings, ...changed } }
  if (changed.enable_drafts_synchronization === true) await tellOfDrafts(tx, after)
  if (changed.email_address_visibility !== undefined) await tellOfAddress(tx, account.realm, account, after)
  if (changed.allow_private_data_export !== undefined) await tellOfExportConsent(tx, account.realm, after)
  if (changed.presence_enabled !== undefined)
    await presenceSharingChanged(tx, presence, after, changed.presence_enabled)
}

function differing(present: UserSettings, given: GivenSettings): Partial<UserSettings> {
  const entries = Object.entries(given) as [UserSettingName, unknown][]
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && value !== present[name]))
}
