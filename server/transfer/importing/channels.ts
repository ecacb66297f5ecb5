import {
  type Channel,
  type ChannelSettings,
  channelSettingDeclarations,
  channelSettingNames,
  MAX_CHANNEL_NAME_LENGTH,
  MAX_DESCRIPTION_LENGTH,
  requireChannelName,
  toDescription,
} from '#channels/channel.ts'
import { saveChannel, saveChannelFields, saveDefaultChannel } from '#channels/queries.ts'
import { defaultColor, notificationNames, toColor } from '#channels/subscriptions.ts'
import type { Realm } from '#realms/realm.ts'
import { insertRowsInTurn } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import { type ImportedGroups, postPolicies } from './groups.ts'
import { type ImportReport, reportUnknownPermissions } from './import-report.ts'
import { type ExportData, ImportError, REALM_FILE, requireAt } from './read-export.ts'
import type { RecipientIndex } from './scan-messages.ts'
import type { ChannelRow, SubscriptionRow } from './shapes.ts'
import type { ImportedUsers } from './users.ts'

/** The imported channels by their ids in the export. */
export type ImportedChannels = ReadonlyMap<number, Channel>

type Parts = { realm: Realm; accounts: ImportedUsers; groups: ImportedGroups; report: ImportReport }

export async function importChannels(tx: Transaction, data: ExportData, parts: Parts): Promise<Map<number, Channel>> {
  const channels = new Map<number, Channel>()
  const taken = new Set([...data.channels.values()].map(({ name }) => name.toLowerCase()))
  for (const row of data.channels.values()) {
    const position = `${REALM_FILE}, zerver_stream, ${row.id}`
    const name = requireAt(position, () => requireChannelName(nameOf(row, taken, parts.report)))
    if (name !== row.name && taken.has(name.toLowerCase()))
      throw new ImportError(`${position}: cut to the maximum length, its name is ${name} like that of another channel.`)
    taken.add(name.toLowerCase())
    reportUnknownPermissions(row, channelSettingNames, parts.report)
    channels.set(row.id, await importChannel(tx, row, name, parts))
  }
  for (const { stream } of data.defaultChannels) {
    const channel = channels.get(stream)
    if (channel === undefined) continue
    if (channel.isPrivate || channel.archivedAt !== null)
      parts.report.add('default channels', 'private and archived channels cannot be default channels')
    else await saveDefaultChannel(tx, parts.realm.id, channel.id)
  }
  return channels
}

const ARCHIVED = /^!+DEACTIVATED:/

/** Removes the prefix with which older versions marked archived channels, and cuts the name to the maximum length. */
function nameOf({ name }: ChannelRow, taken: ReadonlySet<string>, report: ImportReport): string {
  const plain = name.replace(ARCHIVED, '').trim()
  const full = plain === '' || (plain !== name && taken.has(plain.toLowerCase())) ? name : plain
  const characters = Array.from(full.trim())
  if (characters.length <= MAX_CHANNEL_NAME_LENGTH) return full
  report.add('channel names', `cut to ${MAX_CHANNEL_NAME_LENGTH} characters`)
  return characters.slice(0, MAX_CHANNEL_NAME_LENGTH).join('')
}

async function importChannel(tx: Transaction, row: ChannelRow, name: string, parts: Parts): Promise<Channel> {
  const { realm, accounts, report } = parts
  const isPrivate = row.invite_only ?? false
  const description = Array.from(row.description).slice(0, MAX_DESCRIPTION_LENGTH).join('')
  if (description !== row.description) report.add('channel descriptions', 'cut to the maximum length')
  const channel = await saveChannel(tx, {
    realmId: realm.id,
    name,
    ...toDescription(description, realm, tx.db.settings.EXTERNAL_URL),
    isPrivate,
    isWebPublic: !isPrivate && (row.is_web_public ?? false),
    isHistoryShared: !isPrivate || (row.history_public_to_subscribers ?? false),
    creatorId: accounts.get(row.creator ?? 0)?.id ?? null,
    createdAt: row.date_created ?? tx.now,
    settings: settingsOf(row, parts),
  })
  const fields = {
    archivedAt: row.deactivated ? tx.now : null,
    ...(row.message_retention_days && { messageRetentionDays: row.message_retention_days }),
  }
  await saveChannelFields(tx, channel.id, fields)
  return { ...channel, ...fields }
}

function settingsOf(row: ChannelRow, { groups }: Parts): Partial<ChannelSettings> {
  const settings: Partial<ChannelSettings> = {}
  for (const name of channelSettingNames) {
    const setting = groups.toSetting(row[name], channelSettingDeclarations[name].excludes)
    if (setting !== null) settings[name] = setting
  }
  const policy = postPolicies[row.stream_post_policy ?? 0]
  if (row['can_send_message_group'] === undefined && policy !== undefined) settings.can_send_message_group = policy
  return settings
}

/** Imports current and former subscriptions with their settings. */
export async function importSubscriptions(
  tx: Transaction,
  data: ExportData,
  places: RecipientIndex,
  { accounts, channels, realm }: { accounts: ImportedUsers; channels: ImportedChannels; realm: Realm },
): Promise<number> {
  const rows = new Map<string, ReturnType<typeof toRow>>()
  for (const row of data.subscriptions) {
    const channel = channels.get(places.channelOf(row.recipient) ?? 0)
    const user = accounts.get(row.user_profile)
    if (channel === undefined || user?.realmId !== realm.id) continue
    rows.set(`${user.id} ${channel.id}`, toRow(tx, row, user.id, channel))
  }
  await insertRowsInTurn(tx, 'subscriptions', [...rows.values()])
  return rows.size
}

function toRow(tx: Transaction, row: SubscriptionRow, userId: number, channel: Channel) {
  const isMuted = row.is_muted ?? row.in_home_view === false
  const set = notificationNames.filter((name) => typeof row[name] === 'boolean').map((name) => [name, row[name]])
  return {
    userId,
    channelId: channel.id,
    color: toColor(row.color ?? '') ?? defaultColor(channel.id),
    isMuted: isMuted ? 1 : 0,
    isPinned: row.pin_to_top ? 1 : 0,
    settings: JSON.stringify(Object.fromEntries(set)),
    subscribedAt: channel.createdAt,
    unsubscribedAt: (row.active ?? true) ? null : tx.now,
  } as const
}
