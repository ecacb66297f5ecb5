import { findRealmBySubdomain, saveRealm } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { BotType, Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findUserByDeliveryEmail, saveUser } from '../queries.ts'
import { SYSTEM_BOT_DOMAIN, type User } from '../user.ts'

/** The bots through which the server sends messages. Their addresses are reserved in all organizations. */
const systemBots = [
  { name: 'notification-bot', fullName: 'Notification Bot' },
  { name: 'welcome-bot', fullName: 'Welcome Bot' },
] as const

export type SystemBotName = (typeof systemBots)[number]['name']

const addressOfBot = (name: SystemBotName) => `${name}@${SYSTEM_BOT_DOMAIN}`

const reservedAddresses = new Set(systemBots.map(({ name }) => addressOfBot(name)))

/** Returns whether an address belongs to one of the server's own bots. */
export function isSystemBotAddress(email: string): boolean {
  return (reservedAddresses as ReadonlySet<string>).has(email.toLowerCase())
}

/** Creates the realm of the system bots, and the bots, if they are missing. */
export async function ensureSystemBots(tx: Transaction): Promise<void> {
  const realm =
    (await findRealmBySubdomain(tx.db, SYSTEM_SUBDOMAIN)) ??
    (await saveRealm(tx, { subdomain: SYSTEM_SUBDOMAIN, name: 'Parley' }))
  for (const { name, fullName } of systemBots) {
    const deliveryEmail = addressOfBot(name)
    if ((await findUserByDeliveryEmail(tx.db, realm.id, deliveryEmail)) !== null) continue
    await saveUser(tx, { realmId: realm.id, deliveryEmail, fullName, role: Role.member, botType: BotType.generic })
  }
}

/** Returns one of the server's own bots. These bots are in a realm of their own, and may write to every user. */
export async function requireSystemBot(db: Db, name: SystemBotName): Promise<User> {
  const realm = await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN)
  const bot = realm === null ? null : await findUserByDeliveryEmail(db, realm.id, addressOfBot(name))
  if (bot === null) throw new Error(`The system bot ${name} is missing`)
  return bot
}
