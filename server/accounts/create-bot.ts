import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { isEmailAddress } from '#people/users/addresses/email-address.ts'
import { issueApiKey } from '#people/users/api-keys.ts'
import { newToken, type ServiceAddress } from '#people/users/bots/bot.ts'
import { notifyBotChange } from '#people/users/bots/bot-email.ts'
import { isNameTaken, saveBotService } from '#people/users/bots/bot-queries.ts'
import { MAX_BOTS_PER_DAY, requireBelowDailyLimit } from '#people/users/daily-limits.ts'
import { requireFullName } from '#people/users/full-name.ts'
import { findUsersByDeliveryEmail, lockEmailAddresses, saveUser } from '#people/users/queries.ts'
import type { Actor, User } from '#people/users/user.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireMayHaveBot } from './access.ts'
import { botNameTaken } from './change-user.ts'
import { emitUserCreated } from './emit-user-created.ts'

export const badUserName = refusal('BAD_REQUEST', 400, 'Bad name or username', { field: 'short_name' })
export const userNameTaken = refusal('BAD_REQUEST', 400, 'Username already in use', { field: 'short_name' })

type NewBot = {
  fullName: string
  /** The part of the bot's address before `-bot`. */
  shortName: string
  botType: number
  service: ServiceAddress | null
  /** The name of the client that makes the request. It becomes the name of the API key. */
  client: string
}

/** Creates a bot that belongs to the actor, with its first API key, and emails the actor about it. */
export async function createBot(tx: Transaction, actor: Actor, bot: NewBot): Promise<{ bot: User; apiKey: string }> {
  const { realm } = actor
  const fullName = requireFullName(bot.fullName)
  const deliveryEmail = requireBotAddress(bot.shortName, realm, tx.db.settings.EXTERNAL_URL)
  await lockEmailAddresses(tx, realm.id)
  if ((await findUsersByDeliveryEmail(tx.db, realm.id, [deliveryEmail])).length > 0) throw userNameTaken()
  await requireMayHaveBot(viewerOf(tx.db, actor, tx.now), bot.botType)
  if (await isNameTaken(tx.db, realm.id, fullName)) throw botNameTaken()
  const creations = { table: 'users', by: 'botOwnerId', at: 'joinedAt', plural: 'bots' } as const
  await requireBelowDailyLimit(tx.db, actor, creations, { count: 1, limit: MAX_BOTS_PER_DAY, now: tx.now })

  const account = { realmId: realm.id, deliveryEmail, fullName, role: Role.member, botOwnerId: actor.id }
  const created = await saveUser(tx, { ...account, botType: bot.botType })
  if (bot.service !== null) await saveBotService(tx, created.id, { ...bot.service, token: newToken(tx.random) })
  const apiKey = await issueApiKey(tx, created.id, bot.client)
  await emitUserCreated(tx, realm, created)
  await notifyBotChange(tx, { owner: actor, actor, bot: created }, 'created')
  return { bot: created, apiKey }
}

function requireBotAddress(shortName: string, realm: Realm, externalUrl: string): string {
  const localPart = `${shortName.trim()}-bot`
  // Only the local part is validated, because the host need not receive email.
  if (shortName.trim() === '' || !isEmailAddress(`${localPart}@example.com`)) throw badUserName()
  return `${localPart}@${realmAddress(realm.subdomain, externalUrl).hostName}`
}
