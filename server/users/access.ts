import { refusal } from '../base/refusal.ts'
import type { Db } from '../storage/storage.ts'
import { findUser } from './queries.ts'
import { isAdministrator, isOwner } from './role.ts'
import { type Actor, isBot, type User } from './user.ts'

export const noSuchUser = refusal('BAD_REQUEST', 400, 'No such user')
export const noSuchBot = refusal('BAD_REQUEST', 400, 'No such bot')
export const userDeactivated = refusal('BAD_REQUEST', 400, 'User is deactivated')
export const insufficientPermission = refusal('BAD_REQUEST', 400, 'Insufficient permission')
export const mustBeOwner = refusal('BAD_REQUEST', 400, 'Must be an organization owner')
export const mustBeAdministrator = refusal('BAD_REQUEST', 400, 'Must be an organization administrator')

/** An account of the actor's organization, deactivated ones included. */
export async function requireUser(db: Db, actor: Actor, id: number): Promise<User> {
  const user = await findUser(db, id)
  if (user === null || user.realmId !== actor.realmId) throw noSuchUser()
  return user
}

/** An account that the actor may change, deactivated ones included: administrators all, others the bots that they own. */
export async function requireManageableUser(db: Db, actor: Actor, id: number): Promise<User> {
  const user = await requireUser(db, actor, id)
  if (!mayManage(actor, user)) throw insufficientPermission()
  return user
}

/** A bot that the actor may change, deactivated ones included. */
export async function requireManageableBot(db: Db, actor: Actor, id: number): Promise<User> {
  const bot = await findUser(db, id)
  if (bot === null || bot.realmId !== actor.realmId || !isBot(bot)) throw noSuchBot()
  if (!mayManage(actor, bot)) throw insufficientPermission()
  return bot
}

function mayManage(actor: Actor, user: User): boolean {
  return isAdministrator(actor) || user.botOwnerId === actor.id
}

export function requireOwner(actor: Actor): void {
  if (!isOwner(actor)) throw mustBeOwner()
}

export function requireAdministrator(actor: Actor): void {
  if (!isAdministrator(actor)) throw mustBeAdministrator()
}
