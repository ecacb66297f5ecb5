import { MAX_BATCHING_PERIOD } from '#accounts/change-user-settings.ts'
import { highestBotRole, isSystemBotAddress, newToken, requireSystemBot, saveBotService } from '#people/bots.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { isWebAddress } from '#people/profile-fields.ts'
import { saveUser, saveUserFields } from '#people/user-queries.ts'
import {
  isTimedSetting,
  notificationSounds,
  saveDefaultSettings,
  timezoneOr,
  type UserSettings,
  userSettingDeclarations,
  userSettingDefaults,
} from '#people/user-settings.ts'
import { isBot, requireFullName, type User } from '#people/users.ts'
import { saveHiddenPresence } from '#presence/change-presence.ts'
import type { Realm } from '#realms/realm.ts'
import { isLanguage } from '#realms/realm-settings.ts'
import { BotType, isRole, lowerRole, Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import type { ImportReport } from './import-report.ts'
import type { ExportData } from './read-export.ts'
import type { UserRow } from './shapes.ts'

/** Returns the role of an account: a number, or two flags in older exports. */
export function roleOf({
  role,
  is_realm_admin,
  is_guest,
}: Pick<UserRow, 'role' | 'is_realm_admin' | 'is_guest'>): Role {
  if (role !== null && role !== undefined && isRole(role)) return role
  if (is_realm_admin) return Role.administrator
  return is_guest ? Role.guest : Role.member
}

/** The imported accounts by their ids in the export, including the system bots. */
export type ImportedUsers = ReadonlyMap<number, User>

/** Creates the accounts: first the users, then the bots. */
export async function importUsers(
  tx: Transaction,
  realm: Realm,
  data: ExportData,
  report: ImportReport,
): Promise<Map<number, User>> {
  const accounts = new Map<number, User>()
  const rows = [...data.users.values()].sort(
    (one, other) => Number(one.is_bot) - Number(other.is_bot) || one.id - other.id,
  )
  for (const row of rows) accounts.set(row.id, await importUser(tx, realm, row, report))
  for (const { id, bot_owner: owner } of rows) {
    const [bot, botOwner] = [accounts.get(id), accounts.get(owner ?? 0)]
    if (bot === undefined || botOwner === undefined) continue
    await saveUserFields(tx, bot.id, { botOwnerId: botOwner.id })
    accounts.set(id, { ...bot, botOwnerId: botOwner.id })
  }
  await lowerBots(tx, accounts, report)
  await importServices(tx, data, accounts, report)
  for (const { id, email } of data.systemBots) {
    const name = (['welcome-bot', 'emailgateway'] as const).find((one) => email.startsWith(one))
    accounts.set(id, await requireSystemBot(tx.db, name ?? 'notification-bot'))
  }
  report.add(
    'passwords',
    'exports contain none: users set one with the link for forgotten passwords',
    countPeople(rows),
  )
  return accounts
}

/** Lowers the role of each bot to the highest role that a bot of its owner may have. */
async function lowerBots(tx: Transaction, accounts: Map<number, User>, report: ImportReport): Promise<void> {
  const owners = new Map(Array.from(accounts.values(), (user) => [user.id, user]))
  for (const [id, bot] of accounts) {
    if (!isBot(bot)) continue
    const role = lowerRole(bot.role, highestBotRole(owners.get(bot.botOwnerId ?? 0) ?? null))
    if (role === bot.role) continue
    await saveUserFields(tx, bot.id, { role })
    accounts.set(id, { ...bot, role })
    report.add('bot roles', 'they were higher than those of their owners, and were lowered')
  }
}

const countPeople = (rows: readonly UserRow[]) => rows.filter((row) => row.is_active && !row.is_bot).length

async function importUser(tx: Transaction, realm: Realm, row: UserRow, report: ImportReport): Promise<User> {
  const user = await saveUser(tx, {
    realmId: realm.id,
    deliveryEmail: addressOf(row, report),
    fullName: nameOf(row, report),
    role: roleOf(row),
    ...(row.is_bot && { botType: botTypeOf(row, report) }),
    joinedAt: row.date_joined ?? tx.now,
    timezone: timezoneOr(row.timezone ?? '', ''),
    settings: readSettings(row, userSettingDefaults, report),
  })
  const hiddenUntil = user.settings.presence_hidden_until
  if (hiddenUntil > 0) await saveHiddenPresence(tx, user.id, hiddenUntil)
  if (row.is_active) return user
  await saveUserFields(tx, user.id, { deactivatedAt: tx.now })
  return { ...user, deactivatedAt: tx.now }
}

function addressOf({ id, email, delivery_email }: UserRow, report: ImportReport): string {
  const address = delivery_email || email
  if (isEmailAddress(address) && !isSystemBotAddress(address)) return address
  report.add('account addresses', 'they are not allowed here, and were replaced')
  return `account-${id}@imported.invalid`
}

function nameOf({ id, full_name }: UserRow, report: ImportReport): string {
  const plain = full_name.replace(/[*`\\"@\p{C}]/gu, ' ').replace(/\|(?=\d+$)/, ' ')
  const name = Array.from(plain.trim().replace(/ {2,}/g, ' ')).slice(0, 100).join('').trim() || `Account ${id}`
  if (name !== full_name.trim()) report.add('user names', 'they were changed, because they are not allowed here')
  return requireFullName(name)
}

const botTypes: readonly number[] = [BotType.generic, BotType.incomingWebhook, BotType.outgoingWebhook]

function botTypeOf({ bot_type }: UserRow, report: ImportReport): number {
  if (bot_type && botTypes.includes(bot_type)) return bot_type
  if (bot_type) report.add('embedded bots', 'their programs do not run here: they are generic bots now')
  return BotType.generic
}

/** Returns the supported settings that differ from `defaults`. */
function readSettings(
  row: Readonly<Record<string, unknown>>,
  defaults: UserSettings,
  report: ImportReport,
): Partial<UserSettings> {
  const settings: Record<string, unknown> = {}
  for (const [name, { type }] of Object.entries(userSettingDeclarations)) {
    const value = row[name]
    if (value === undefined || value === null || value === defaults[name as keyof UserSettings]) continue
    if (type.safeParse(value).success && isKnownValue(name, value)) settings[name] = value
    else report.add('personal settings', `values of ${name} that Parley does not accept: the default applies`)
  }
  return settings
}

function isKnownValue(name: string, value: unknown): boolean {
  if (name === 'default_language') return isLanguage(String(value))
  if (name === 'notification_sound') return value === 'none' || notificationSounds.includes(String(value))
  if (name === 'email_notifications_batching_period_seconds')
    return Number(value) >= 1 && Number(value) <= MAX_BATCHING_PERIOD
  return true
}

/** Imports the URLs of outgoing webhooks. The webhooks get new tokens. */
async function importServices(
  tx: Transaction,
  { services }: ExportData,
  accounts: ImportedUsers,
  report: ImportReport,
): Promise<void> {
  for (const { user_profile, base_url, interface: format } of services) {
    const bot = accounts.get(user_profile)
    if (bot?.botType !== BotType.outgoingWebhook) continue
    if (!isWebAddress(base_url)) {
      report.add('outgoing webhook URLs', 'they are not web addresses')
      continue
    }
    await saveBotService(tx, bot.id, {
      payloadUrl: base_url,
      interface: format === 2 ? 2 : 1,
      token: newToken(tx.random),
    })
  }
}

/** Imports the default settings of new users. */
export async function importDefaultSettings(
  tx: Transaction,
  realm: Realm,
  { defaultSettings }: ExportData,
  report: ImportReport,
): Promise<void> {
  if (defaultSettings === undefined) return
  const untimed = Object.fromEntries(Object.entries(defaultSettings).filter(([name]) => !isTimedSetting(name)))
  const settings = readSettings(untimed, userSettingDefaults, report)
  if (Object.keys(settings).length > 0) await saveDefaultSettings(tx, realm.id, settings)
}
