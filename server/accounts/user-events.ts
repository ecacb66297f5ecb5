import { findActiveUsers } from '#channels/audience.ts'
import { type Candidate, findNonViewerIds } from '#groups/viewer.ts'
import { isBotManager, maySeeAddress } from '#people/access.ts'
import { type Bot, findBotService, toBotJson } from '#people/bots.ts'
import {
  avatarChanged,
  botAdded,
  botChanged,
  botRemoved,
  displaySettingChanged,
  notificationSettingChanged,
  toUnknownUserJson,
  toUserJson,
  type UserChange,
  unknownUserAdded,
  userAdded,
  userChanged,
  userSettingChanged,
} from '#people/user-json.ts'
import { legacyDisplaySettings, legacyNotificationSettings, type UserSettingName } from '#people/user-settings.ts'
import { apiEmail, isBot, type User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { EmittedEvent, EmittedOfType, Transaction } from '#storage/storage.ts'
import { maySeeExportConsent } from './access.ts'

// The events about changes of an account, for everyone who may see it. Each viewer receives the fields that they may
// see; a limited guest who may not see the account receives nothing or a placeholder.

/** The active accounts of an organization: those that may see a certain user, and those that may not. */
type UserAudience = { viewers: Candidate[]; nonViewers: Candidate[] }

/**
 * Returns the users who may see the user now, and those who may not. Only limited guests may not see a user, unless
 * they share a conversation or a channel with the user. Bots are visible to everyone.
 */
export async function findUserAudience(tx: Transaction, realm: Realm, user: User): Promise<UserAudience> {
  const { all } = await findActiveUsers(tx.db, realm.id)
  const nonViewerIds = await findNonViewerIds(tx.db, realm, user, all, tx.now)
  return {
    viewers: all.filter((person) => !nonViewerIds.has(person.id)),
    nonViewers: all.filter((person) => nonViewerIds.has(person.id)),
  }
}

/** Returns the ids of the bot's owner and of all administrators, if they are active. */
async function findBotManagerIds(tx: Transaction, bot: User): Promise<number[]> {
  const { all } = await findActiveUsers(tx.db, bot.realmId)
  return accountIds(all.filter((person) => isBotManager(person, bot)))
}

export const accountIds = (people: readonly Candidate[]): number[] => people.map((person) => person.id)

/** A viewer who cannot see hidden addresses. */
const anyGuest = { id: 0, role: Role.guest }

/** Emits a new account. Each viewer gets the fields that they may see. */
export async function emitUserAdded(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const { viewers, nonViewers } = await findUserAudience(tx, realm, user)
  const { EXTERNAL_URL } = tx.db.settings
  const format = { computesGravatar: false, profiles: new Map() }
  const toJson = (viewer: { id: number; role: number }) => toUserJson(viewer, user, realm, EXTERNAL_URL, format)

  const { known = [], hidden = [] } = Object.groupBy(viewers, (viewer) =>
    maySeeAddress(viewer, user) ? 'known' : 'hidden',
  )
  emitTo(tx, realm, userAdded(toJson(user)), accountIds(known))
  emitTo(tx, realm, userAdded(toJson(anyGuest)), accountIds(hidden))
  emitTo(tx, realm, unknownUserAdded(toUnknownUserJson(user, realm, EXTERNAL_URL)), accountIds(nonViewers))
  if (!isBot(user)) return
  emitTo(tx, realm, botAdded(await findBotJson(tx, realm, user)), await findBotManagerIds(tx, user))
}

/** Emits a change of the account to all users who may see it. */
export async function emitUserChange(tx: Transaction, realm: Realm, user: User, change: UserChange): Promise<void> {
  const { viewers } = await findUserAudience(tx, realm, user)
  emitTo(tx, realm, userChanged(user.id, change), accountIds(viewers))
}

/** Emits a change of the bot to all users who manage it. */
export async function emitBotChange(tx: Transaction, realm: Realm, bot: User, change: Partial<Bot>): Promise<void> {
  emitTo(tx, realm, botChanged(bot.id, change), await findBotManagerIds(tx, bot))
}

/**
 * Emits the bot as removed and then as added, to all users who manage it, because no update event contains its address.
 */
async function emitBotReplaced(tx: Transaction, realm: Realm, bot: User): Promise<void> {
  const managerIds = await findBotManagerIds(tx, bot)
  emitTo(tx, realm, botRemoved(bot.id), managerIds)
  emitTo(tx, realm, botAdded(await findBotJson(tx, realm, bot)), managerIds)
}

/** Emits the current avatar of the account to all users who may see the account. */
export async function emitAvatarChange(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const event = avatarChanged(user)
  const { viewers } = await findUserAudience(tx, realm, user)
  emitTo(tx, realm, event, accountIds(viewers))
  if (isBot(user)) await emitBotChange(tx, realm, user, { avatar_url: event.person.avatar_url })
}

export async function findBotJson(tx: Transaction, realm: Realm, bot: User): Promise<Bot> {
  return toBotJson(bot, await findBotService(tx.db, bot.id), realm, tx.db.settings.EXTERNAL_URL)
}

/** Emits the event unless the audience is empty. */
export function emitTo(tx: Transaction, realm: Realm, event: EmittedEvent, audience: readonly number[]): void {
  if (audience.length > 0) tx.emit(realm.id, event, audience)
}

/**
 * Emits the addresses of an account to the users who may see them. Call this after the real address or its visibility
 * has changed.
 */
export async function emitAddressChange(tx: Transaction, realm: Realm, before: User, after: User): Promise<void> {
  const { viewers } = await findUserAudience(tx, realm, after)
  const hasNewEmail = before.deliveryEmail !== after.deliveryEmail

  const gained = viewers.filter(
    (person) => maySeeAddress(person, after) && (hasNewEmail || !maySeeAddress(person, before)),
  )
  emitTo(tx, realm, userChanged(after.id, { delivery_email: after.deliveryEmail }), accountIds(gained))
  const lost = viewers.filter((person) => maySeeAddress(person, before) && !maySeeAddress(person, after))
  emitTo(tx, realm, userChanged(after.id, { delivery_email: null }), accountIds(lost))

  const { EXTERNAL_URL } = tx.db.settings
  const email = apiEmail(after, realm, EXTERNAL_URL)
  const hasNewApiEmail = email !== apiEmail(before, realm, EXTERNAL_URL)
  if (hasNewApiEmail) emitTo(tx, realm, userChanged(after.id, { new_email: email }), accountIds(viewers))
  if (hasNewApiEmail && isBot(after)) await emitBotReplaced(tx, realm, after)
  // Gravatars depend on the address. Clients compute them from the address that everyone sees.
  if ((hasNewEmail || hasNewApiEmail) && after.avatarFile === null) await emitAvatarChange(tx, realm, after)
}

/** Emits a setting to the user's own clients. Older clients also get the event that they support. */
export function emitUserSetting(
  tx: Transaction,
  realm: Realm,
  user: User,
  name: UserSettingName | 'timezone',
  value: EmittedOfType<'user_settings'>['value'],
): void {
  const email = apiEmail(user, realm, tx.db.settings.EXTERNAL_URL)
  emitTo(tx, realm, userSettingChanged(name, value), [user.id])
  if (isAmong(legacyDisplaySettings, name)) emitTo(tx, realm, displaySettingChanged(email, name, value), [user.id])
  if (isAmong(legacyNotificationSettings, name))
    emitTo(tx, realm, notificationSettingChanged(email, name, value), [user.id])
}

const isAmong = (names: readonly string[], name: string) => names.includes(name)

/** Emits to administrators whether the user now consents to the export of their private data. */
export async function emitExportConsent(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const { all } = await findActiveUsers(tx.db, realm.id)
  const consented = user.settings.allow_private_data_export
  emitTo(
    tx,
    realm,
    { type: 'realm_export_consent', user_id: user.id, consented },
    accountIds(all.filter(maySeeExportConsent)),
  )
}
