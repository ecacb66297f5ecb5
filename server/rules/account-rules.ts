import type { RuleUser } from './permission-scope.ts'
import { BotType, isOwner, Role } from './role.ts'

/** The part of an account that rules need. */
type RuleAccount = { readonly role: number; readonly isBot: boolean; readonly isActive: boolean }

/** Returns whether the account is an active owner and not a bot. An organization must keep at least one such owner. */
export const isActiveOwner = (account: RuleAccount): boolean =>
  account.role === Role.owner && !account.isBot && account.isActive

/**
 * Returns whether the actor may change accounts with this role and assign it. Only owners may do so for the owner role;
 * this rule does not restrict other roles.
 */
export const mayManageRole = (actor: RuleUser, role: number): boolean => role !== Role.owner || isOwner(actor)

/**
 * Returns whether a user may have bots of this type. `may` tells which bots the organization's settings let the user
 * create: all bots, or bots that can only send messages.
 */
export const mayHaveBotType = (botType: number, may: { createAny: boolean; createWriteOnly: boolean }): boolean =>
  may.createAny || (may.createWriteOnly && botType === BotType.incomingWebhook)
