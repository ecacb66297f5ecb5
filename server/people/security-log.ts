import { networkOf, type SecurityLines } from '#http/rate-limits.ts'
import type { Log } from '#lib/log.ts'
import { type AuditKind, auditKindNames, auditKinds } from './audit.ts'

// The security log: a line with the event, the actor, the target and the network address for each entry of the audit
// log, which `recordAudit` writes, and for events that anyone can cause. Lines contain no secret, email address or
// input. An event that anyone can cause is left out beyond a limit, and the next line says how many were.

/** The events that anyone can cause in any number. They are not in the audit log. */
const floods = {
  password_wrong: 'A wrong password was entered at a login or a confirmation',
  password_locked: 'A password was not checked, because too many wrong ones came before it',
  password_reset_requested: 'Someone requested a link to reset the password',
  second_factor_wrong: 'A wrong code or passkey was given at a login or a confirmation',
  second_factor_locked: 'A code was not checked, because too many wrong ones came before it',
  request_refused: 'A request was refused (`reason` says why, without the input; `method` and `path` of the request)',
  limit_reached: 'A request was refused because of a limit of requests or attempts',
} as const

type Flood = keyof typeof floods

/** All events with their meanings. docs/operating.md lists the same events. */
export const securityEvents: Readonly<Record<AuditKind | Flood, string>> = {
  ...(Object.fromEntries(auditKindNames.map((kind) => [kind, auditKinds[kind].meaning])) as Record<AuditKind, string>),
  ...floods,
}

type Facts = {
  realmId: number
  /** The account that sent the request; null if not logged in. */
  actorId: number | null
  /** The account that the event is about; null if there is none. */
  targetId: number | null
}

type LogServices = { log: Log; securityLines: SecurityLines; remoteAddress: string }

/** Writes one line about an event that anyone can cause. */
export function logSecurityEvent(
  { log, securityLines, remoteAddress }: LogServices,
  event: Flood,
  { realmId, actorId, targetId }: Facts,
): void {
  const leftOut = securityLines.take(event, networkOf(remoteAddress))
  if (leftOut === null) return
  const who = { actor_id: actorId, target_id: targetId, realm_id: realmId }
  log.security({ event, ...who, address: remoteAddress, ...(leftOut > 0 && { left_out: leftOut }) })
}
