import type { Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findUsersById } from '../queries.ts'
import type { User } from '../user.ts'
import type { BotService } from './bot.ts'

/** Returns the active bots of an owner, ordered by id. */
export async function findActiveBotsOf(db: Db, ownerId: number): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('botOwnerId', '=', ownerId)
    .where('deactivatedAt', 'is', null)
    .execute()
  const bots = await findUsersById(
    db,
    rows.map((row) => row.id),
  )
  return bots.toSorted((one, other) => one.id - other.id)
}

/** Returns those bots of an owner whose role is higher than `role`, including deactivated ones, ordered by id. */
export async function findBotsWithHigherRole(db: Db, ownerId: number, role: Role): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('botOwnerId', '=', ownerId)
    .where('role', '<', role)
    .execute()
  const bots = await findUsersById(
    db,
    rows.map((row) => row.id),
  )
  return bots.toSorted((one, other) => one.id - other.id)
}

/** Returns whether an active account of the organization has exactly this name. */
export async function isNameTaken(db: Db, realmId: number, fullName: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('fullName', '=', fullName)
    .where('deactivatedAt', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function findBotService(db: Db, botId: number): Promise<BotService | null> {
  const row = await db
    .selectFrom('botServices')
    .select(['payloadUrl', 'interface', 'token'])
    .where('botId', '=', botId)
    .executeTakeFirst()
  return row ?? null
}

export async function saveBotService(tx: Transaction, botId: number, service: BotService): Promise<void> {
  await tx
    .insertInto('botServices')
    .values({ botId, ...service })
    .onConflict((on) => on.column('botId').doUpdateSet(service))
    .execute()
}
