import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { isBotManager } from '#people/users/access.ts'
import { deleteAllApiKeys, replaceApiKeys } from '#people/users/api-keys.ts'
import { newToken, type ServiceAddress, toServicesJson } from '#people/users/bots/bot.ts'
import { notifyBotChange } from '#people/users/bots/bot-email.ts'
import { findBotService, isNameTaken, saveBotService } from '#people/users/bots/bot-queries.ts'
import { botAdded, botRemoved, userChanged } from '#people/users/events.ts'
import { findUser, saveUserFields } from '#people/users/queries.ts'
import { type Actor, isBot, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireMayHaveBot } from './access.ts'
import { setRole } from './change-user.ts'
import { reactivateUser } from './deactivate-user.ts'
import { emitBotChange, emitTo, findBotJson } from './emit-user-events.ts'
import { accountIds, findUserAudience } from './user-audience.ts'

export const noSuchOwner = refusal('BAD_REQUEST', 400, 'Failed to change owner, no such user', {
  field: 'bot_owner_id',
})
export const ownerDeactivated = refusal('BAD_REQUEST', 400, 'Failed to change owner, user is deactivated', {
  field: 'bot_owner_id',
})
export const ownerIsBot = refusal('BAD_REQUEST', 400, "Failed to change owner, bots can't own other bots", {
  field: 'bot_owner_id',
})
export const reactivatedNameTaken = refusal(
  'BAD_REQUEST',
  400,
  'There is already an active account named "{name}" in this organization. Rename or deactivate it to reactivate this bot.',
  { field: 'full_name' },
)

/**
 * Changes the owner of a bot. If the bot has a higher role than the new owner, it gets the owner's role. Its API keys
 * are deleted, so that the former owner loses access, and the former owner gets an email if someone else did it.
 */
export async function changeBotOwner(tx: Transaction, actor: Actor, bot: User, ownerId: number): Promise<void> {
  const owner = await findUser(tx.db, ownerId)
  if (owner === null || owner.realmId !== actor.realmId) throw noSuchOwner()
  if (owner.deactivatedAt !== null) throw ownerDeactivated()
  if (isBot(owner)) throw ownerIsBot()
  if (bot.botOwnerId === owner.id) return
  const before = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
  const changed = { ...bot, botOwnerId: owner.id }
  await saveUserFields(tx, bot.id, { botOwnerId: owner.id })

  const { realm } = actor
  if (before !== null && !isBotManager(before, changed)) emitTo(tx, realm, botRemoved(bot.id), [before.id])
  if (!isBotManager(owner, bot)) emitTo(tx, realm, botAdded(await findBotJson(tx, realm, changed)), [owner.id])
  await emitBotChange(tx, realm, changed, { owner_id: owner.id })
  const { viewers } = await findUserAudience(tx, realm, changed)
  emitTo(tx, realm, userChanged(bot.id, { bot_owner_id: owner.id }), accountIds(viewers))
  if (changed.role < owner.role) await setRole(tx, realm, changed, owner.role)
  await deleteAllApiKeys(tx, bot.id)
  await renewToken(tx, realm, changed)
  if (before !== null) await notifyBotChange(tx, { owner: before, actor, bot }, 'owner changed')
}

/** Changes the URL to which an outgoing-webhook bot sends messages, or the format of these messages. */
export async function changeBotService(
  tx: Transaction,
  actor: Actor,
  bot: User,
  given: Partial<ServiceAddress>,
): Promise<void> {
  const current = await findBotService(tx.db, bot.id)
  if (current === null) return
  const service = { ...current, ...given }
  await saveBotService(tx, bot.id, service)
  await emitBotChange(tx, actor.realm, bot, { services: toServicesJson(service) })
  if (service.payloadUrl !== current.payloadUrl) await notifyOwner(tx, actor, bot, 'url changed')
}

/**
 * Replaces all API keys of the bot and the token of its outgoing webhook, and emails the owner if someone else did it.
 * Returns the new API key.
 */
export async function replaceBotKeys(tx: Transaction, actor: Actor, bot: User, client: string): Promise<string> {
  await renewToken(tx, actor.realm, bot)
  await notifyOwner(tx, actor, bot, 'keys replaced')
  return replaceApiKeys(tx, bot.id, client)
}

async function notifyOwner(tx: Transaction, actor: Actor, bot: User, change: 'keys replaced' | 'url changed') {
  const owner = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
  if (owner !== null) await notifyBotChange(tx, { owner, actor, bot }, change)
}

/** Replaces the token of an outgoing webhook. */
async function renewToken(tx: Transaction, realm: Realm, bot: User): Promise<void> {
  const service = await findBotService(tx.db, bot.id)
  if (service === null) return
  const renewed = { ...service, token: newToken(tx.random) }
  await saveBotService(tx, bot.id, renewed)
  await emitBotChange(tx, realm, bot, { services: toServicesJson(renewed) })
}

/**
 * Reactivates a bot. Refuses unless the actor may create bots of its type. The actor becomes the owner if the bot has
 * no active owner.
 */
export async function reactivateBot(tx: Transaction, actor: Actor, bot: User): Promise<void> {
  if (bot.deactivatedAt === null) return
  await requireMayHaveBot(viewerOf(tx.db, actor, tx.now), bot.botType ?? 0)
  if (await isNameTaken(tx.db, actor.realmId, bot.fullName)) throw reactivatedNameTaken({ name: bot.fullName })
  await reactivateUser(tx, actor.realm, bot)
  const owner = bot.botOwnerId === null ? null : await findUser(tx.db, bot.botOwnerId)
  if (owner === null || owner.deactivatedAt !== null)
    await changeBotOwner(tx, actor, { ...bot, deactivatedAt: null }, actor.id)
}
