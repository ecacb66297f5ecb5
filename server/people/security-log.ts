import { networkOf, type SecurityLines } from '#http/rate-limits.ts'
import type { Log } from '#lib/log.ts'

// The security log: a line with the event, the actor, the target and the network address for each change that matters
// for security. Lines contain no secret, email address or input. An event that anyone can cause is left out beyond a
// limit, and the next line says how many were.

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
  webhook_secret_changed: 'The secret of an incoming webhook was set or removed',
  sessions_closed: 'Browsers were logged out by their user',
  logged_out_by_other: 'An administrator logged a user out of all browsers and apps',
  account_created: 'The account was created by an administrator or the operator',
  account_deactivated: 'The account was deactivated',
  account_reactivated: 'The account was reactivated',
  organization_created: 'The organization was created',
  organization_changed: 'Settings of the organization changed (`settings` names them)',
  organization_deactivated: 'The organization was deactivated',
  export_started: 'An export of the organization was requested',
  export_downloaded: 'An export of the organization was downloaded',
  own_data_requested: 'A user requested an archive of their own data',
  export_deleted: 'An export of the organization was deleted',
  request_refused: 'A request was refused (`reason` says why, without the input; `method` and `path` of the request)',
  limit_reached: 'A request was refused because of a limit of requests or attempts',
} as const

export type SecurityEvent = keyof typeof securityEvents

export type Facts = {
  realmId: number
  /** The account that sent the request; null if not logged in. */
  actorId: number | null
  /** The account that the event is about; null if there is none. */
  targetId: number | null
  /** Further details. They never include a secret, an address, or user input. */
  details?: { by?: string; role?: number; owner_id?: number; settings?: readonly string[] }
}

/** The events that anyone can cause in any number. */
const FLOODS: ReadonlySet<SecurityEvent> = new Set([
  'password_wrong',
  'password_locked',
  'password_reset_requested',
  'request_refused',
  'limit_reached',
])

type LogServices = { log: Log; securityLines: SecurityLines; remoteAddress: string }

/** Writes one line. Call it after the transaction is committed. */
export function logSecurityEvent(
  { log, securityLines, remoteAddress }: LogServices,
  event: SecurityEvent,
  { realmId, actorId, targetId, details = {} }: Facts,
): void {
  const leftOut = FLOODS.has(event) ? securityLines.take(event, networkOf(remoteAddress)) : 0
  if (leftOut === null) return
  const who = { actor_id: actorId, target_id: targetId, realm_id: realmId }
  log.security({ event, ...who, address: remoteAddress, ...details, ...(leftOut > 0 && { left_out: leftOut }) })
}

/** Logs the action of an API caller on an account, by default their own. */
export function logActorEvent(
  call: LogServices & { actor: { id: number; realmId: number } },
  event: SecurityEvent,
  { targetId = call.actor.id, ...details }: { targetId?: number | null } & NonNullable<Facts['details']> = {},
): void {
  logSecurityEvent(call, event, { realmId: call.actor.realmId, actorId: call.actor.id, targetId, details })
}
