import type { Log } from '../platform/runtime/log.ts'

/** The logged events about accounts and organizations, with their meanings. docs/operating.md lists the same. */
export const securityEvents = {
  login: 'Logged in, or got an API key for the password (`by` says how)',
  password_wrong: 'A wrong password was given, at a log-in or where the password is asked for again',
  password_locked: 'A password was not checked, because too many wrong ones came before',
  password_reset_requested: 'A link for a forgotten password was asked for',
  password_changed: 'The password was changed (`by` says how)',
  email_change_requested: 'Another email address was asked for, and waits for its confirmation',
  email_changed: 'The email address changed',
  email_change_undone: 'The holder of the old address undid or cancelled a change of it',
  role_changed: 'The role changed, to `role`; bots of the account are lowered with it',
  bot_owner_changed: 'The bot was given to `owner_id`',
  api_key_created: 'An API key was made',
  api_key_deleted: 'An API key was deleted',
  api_keys_replaced: 'All API keys were replaced by a new one',
  account_deactivated: 'The account was deactivated',
  account_reactivated: 'The account was reactivated',
  organization_changed: 'Settings of the organization changed (`settings` names them)',
  organization_deactivated: 'The organization was deactivated',
} as const

type SecurityEvent = keyof typeof securityEvents

type Facts = {
  realmId: number
  /** The account that sent the request; null if not logged in. */
  actorId: number | null
  /** The account that it is about; null if there is none. */
  targetId: number | null
  /** Further facts, never a secret, an address, or a text from a user. */
  details?: { by?: string; role?: number; owner_id?: number; settings?: readonly string[] }
}

/** Writes one line at level info. Call it after the transaction is committed. */
export function logSecurityEvent(
  { log, remoteAddress }: { log: Log; remoteAddress: string },
  event: SecurityEvent,
  { realmId, actorId, targetId, details = {} }: Facts,
): void {
  if (!log.isLevelEnabled('info')) return
  const who = { actor_id: actorId, target_id: targetId, realm_id: realmId }
  log.info({ event, ...who, address: remoteAddress, ...details }, 'security event')
}

/** Logs the action of an API caller on an account, by default their own. */
export function logActorEvent(
  call: { log: Log; remoteAddress: string; actor: { id: number; realmId: number } },
  event: SecurityEvent,
  { targetId = call.actor.id, ...details }: { targetId?: number | null } & NonNullable<Facts['details']> = {},
): void {
  logSecurityEvent(call, event, { realmId: call.actor.realmId, actorId: call.actor.id, targetId, details })
}
