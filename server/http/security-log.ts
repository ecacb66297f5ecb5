import type { Log } from '../platform/runtime/log.ts'

/** The logged events about accounts and organizations, with their meanings. docs/operating.md lists the same events. */
export const securityEvents = {
  login: 'The user logged in, or got an API key with their password (`by` says how)',
  password_wrong: 'A wrong password was entered at a login or a confirmation',
  password_locked: 'A password was not checked, because too many wrong ones came before it',
  password_reset_requested: 'Someone requested a link to reset the password',
  password_changed: 'The password was changed (`by` says how)',
  email_change_requested: 'A new email address was requested and is waiting for confirmation',
  email_changed: 'The email address changed',
  email_change_undone: 'The holder of the old address canceled or undid a change',
  role_changed: 'The role changed to `role`; bots of the account never keep a higher one',
  bot_owner_changed: 'The bot now belongs to `owner_id`',
  api_key_created: 'An API key was created',
  api_key_deleted: 'An API key was deleted',
  api_keys_replaced: 'All API keys were replaced by a new one',
  sessions_closed: 'Browsers were logged out by their user',
  account_deactivated: 'The account was deactivated',
  account_reactivated: 'The account was reactivated',
  organization_changed: 'Settings of the organization changed (`settings` names them)',
  organization_deactivated: 'The organization was deactivated',
  export_started: 'An export of the organization was requested',
  export_downloaded: 'An export of the organization was downloaded',
  export_deleted: 'An export of the organization was deleted',
} as const

type SecurityEvent = keyof typeof securityEvents

type Facts = {
  realmId: number
  /** The account that sent the request; null if not logged in. */
  actorId: number | null
  /** The account that the event is about; null if there is none. */
  targetId: number | null
  /** Further details. They never include a secret, an address, or user input. */
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
