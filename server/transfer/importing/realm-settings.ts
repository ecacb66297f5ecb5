import type { GroupSetting } from '#realms/group-setting.ts'
import {
  changeableSettings,
  channelIdSettings,
  historyPolicies,
  isPermission,
  type RealmPermissionName,
  type RealmSettingName,
  type RealmSettings,
  realmSettingDeclarations,
  realmSettingNames,
} from '#realms/settings.ts'
import type { ImportedChannels } from './channels.ts'
import type { ImportedGroups } from './groups.ts'
import { type ImportReport, reportUnknownPermissions } from './import-report.ts'
import { legacyPolicies } from './policies.ts'
import type { ExportData } from './read-export.ts'

/** Returns the settings of the organization that differ from the defaults. */
export function readImportedSettings(
  { realm }: ExportData,
  groups: ImportedGroups,
  channels: ImportedChannels,
  report: ImportReport,
): Partial<RealmSettings> {
  reportUnknownPermissions(realm, realmSettingNames, report)
  const settings: Record<string, unknown> = {}
  for (const name of changeableSettings) {
    const value = isPermission(name) ? permissionOf(realm, name, groups) : givenValue(realm, name, channels)
    const declaration = realmSettingDeclarations[name]
    const isSet = value !== undefined && (value !== null || isUnlimited(declaration))
    if (!isSet || value === declaration.fallback) continue
    if (declaration.kind === 'permission' || declaration.type.safeParse(value).success) settings[name] = value
    else report.add('organization settings', 'their values are not valid here: the default applies')
  }
  return settings as Partial<RealmSettings>
}

/** Returns whether the value null of the setting means that there is no limit. */
const isUnlimited = (declaration: (typeof realmSettingDeclarations)[RealmSettingName]) =>
  declaration.kind === 'value' && 'unlimited' in declaration.aliases && declaration.aliases.unlimited === null

type Row = ExportData['realm']

function permissionOf(realm: Row, name: RealmPermissionName, groups: ImportedGroups): GroupSetting | null {
  const { excludes } = realmSettingDeclarations[name]
  if (realm[name] !== undefined) return groups.toSetting(realm[name], excludes)
  const policy = legacyPolicies.find(({ permission }) => permission === name)
  const group = policy?.groups[Number(realm[policy.name])]
  return group === undefined || (excludes as readonly string[]).includes(group) ? null : group
}

/** The older names of settings whose value is a channel. */
const olderNames: Readonly<Record<string, string>> = {
  new_stream_announcements_stream: 'notifications_stream',
  signup_announcements_stream: 'signup_notifications_stream',
}

function givenValue(realm: Row, name: string, channels: ImportedChannels): unknown {
  if ((channelIdSettings as readonly string[]).includes(name)) {
    const short = name.replace(/_id$/, '')
    const channel = channels.get(Number(realm[short] ?? realm[olderNames[short] ?? ''] ?? 0))
    const isFit = channel !== undefined && (name !== 'moderation_request_channel_id' || channel.isPrivate)
    return isFit ? channel.id : null
  }
  if (name === 'message_edit_history_visibility_policy') {
    if (realm['allow_edit_history'] === false) return 'none'
    return historyPolicies[Number(realm[name]) - 1]
  }
  return realm[name]
}
