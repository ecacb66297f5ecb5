import type { Refusal } from '#lib/errors/refusal.ts'
import { readApiPath } from '../api-path.ts'
import { networkOf } from '../limits/network.ts'
import { notLoggedIn } from '../refusals.ts'
import type { HttpRequest } from '../wire/http-types.ts'
import { redactedPath } from '../wire/request-log.ts'
import { authMethodOf, type CallerServices, findCaller } from './caller.ts'

/** Codes of refusals that well-behaved clients get every day: event queues expire. */
const ORDINARY: ReadonlySet<string> = new Set(['BAD_EVENT_QUEUE_ID'])

const MAX_PATH_LENGTH = 200

/**
 * Logs a refused request as a security event. The reason is the text of the refusal before its parameters are filled
 * in, so that it contains no input.
 */
export async function logRefusal(services: CallerServices, request: HttpRequest, { kind }: Refusal): Promise<void> {
  const { log, securityLines } = services
  const { method, path, headers, remoteAddress } = request
  if (ORDINARY.has(kind.code) || (kind === notLoggedIn && headers.authorization === undefined)) return
  const event = kind.status === 429 ? 'limit_reached' : 'request_refused'
  const leftOut = securityLines.take(event, networkOf(remoteAddress))
  if (leftOut === null) return
  const authMethod = readApiPath(path)?.authMethod ?? authMethodOf(request)
  // If the database fails, the refusal is still sent.
  const sender = await findCaller(services, request, authMethod).catch(() => null)
  log.security({
    event,
    actor_id: sender?.id ?? null,
    target_id: null,
    realm_id: sender?.realmId ?? null,
    address: remoteAddress,
    reason: kind.text,
    method,
    path: redactedPath(path).slice(0, MAX_PATH_LENGTH),
    ...(leftOut > 0 && { left_out: leftOut }),
  })
}
