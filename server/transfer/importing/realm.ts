import { checkLinkifier } from '#markdown/linkifier.ts'
import { requireDomainName, saveRealmDomain } from '#realms/domains.ts'
import { saveLinkifier } from '#realms/linkifiers.ts'
import type { Realm } from '#realms/realm.ts'
import {
  changeableSettings,
  channelIdSettings,
  type GroupSetting,
  historyPolicies,
  isPermission,
  type RealmPermissionName,
  type RealmSettingName,
  type RealmSettings,
  realmSettingDeclarations,
  realmSettingNames,
} from '#realms/realm-settings.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportedChannels } from './channels.ts'
import { type ImportedGroups, legacyPolicies } from './groups.ts'
import { type ImportReport, reportUnknownPermissions } from './import-report.ts'
import { type ExportData, nullIfRefused } from './read-export.ts'

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

/** Imports the email domains. Some are invalid, because converters write the host of the server on which they ran. */
export async function importDomains(
  tx: Transaction,
  realm: Realm,
  { domains }: ExportData,
  report: ImportReport,
): Promise<void> {
  for (const { domain, allow_subdomains } of domains) {
    const name = nullIfRefused(() => requireDomainName(domain))
    if (name === null) report.add('domains', 'they are not valid email domains')
    else await saveRealmDomain(tx, realm.id, { domain: name, allowsSubdomains: allow_subdomains ?? false })
  }
}

/** Imports the linkifiers in order. Older versions wrote parameters of URLs as `%(name)s`. */
export async function importLinkifiers(
  tx: Transaction,
  realm: Realm,
  { linkifiers }: ExportData,
  report: ImportReport,
): Promise<void> {
  const rows = linkifiers.toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0) || one.id - other.id)
  const patterns = new Set<string>()
  for (const { pattern, url_template, url_format_string } of rows) {
    const urlTemplate = url_template ?? (url_format_string ?? '').replace(/%\((\w+)\)s/g, '{$1}')
    if (patterns.has(pattern) || checkLinkifier(pattern, urlTemplate) !== null) {
      report.add('linkifiers', 'their patterns or addresses are not supported')
      continue
    }
    patterns.add(pattern)
    await saveLinkifier(tx, realm.id, { pattern, urlTemplate })
  }
}
