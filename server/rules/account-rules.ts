import { BotType, isOwner, Role } from '../people/users/role.ts'
import type { RuleUser } from './permission-scope.ts'

/** The part of an account that rules need. */
type RuleAccount = { readonly role: number; readonly isBot: boolean; readonly isActive: boolean }

/** Returns whether the account is one of the organization's owners, of whom one must remain. */
export const isActiveOwner = (account: RuleAccount): boolean =>
  account.role === Role.owner && !account.isBot && account.isActive

/**
 * Returns whether the actor may change accounts that have this role, and give it to others, if only owners may manage
 * owners.
 */
export const mayManageRole = (actor: RuleUser, role: number): boolean => role !== Role.owner || isOwner(actor)

/**
 * Returns whether a user may have bots of this type. The permissions are those that settings of the organization give
 * the user: for all bots, and for bots that can only send messages.
 */
export const mayHaveBotType = (botType: number, may: { createAny: boolean; createWriteOnly: boolean }): boolean =>
  may.createAny || (may.createWriteOnly && botType === BotType.incomingWebhook)
