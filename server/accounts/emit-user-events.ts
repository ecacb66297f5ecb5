import { maySeeAddress } from '#people/users/access.ts'
import { type Bot, toBotJson } from '#people/users/bots/bot.ts'
import { findBotService } from '#people/users/bots/bot-queries.ts'
import {
  avatarChanged,
  botAdded,
  botChanged,
  botRemoved,
  type UserChange,
  unknownUserAdded,
  userAdded,
  userChanged,
} from '#people/users/events.ts'
import { isBot, type User } from '#people/users/user.ts'
import { toUnknownUserJson, toUserJson } from '#people/users/user-json.ts'
import type { Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { EmittedEvent, Transaction } from '#storage/storage.ts'
import { accountIds, findBotManagerIds, findUserAudience } from './user-audience.ts'

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
export async function emitBotReplaced(tx: Transaction, realm: Realm, bot: User): Promise<void> {
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
