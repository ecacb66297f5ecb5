import { readApiPath } from '../api-path.ts'
import { HEALTH_PATH } from '../health-page.ts'
import type { Priority } from '../wire/admission.ts'

/** Requests that are frequent and cheap, and whose failure users notice at once. */
const URGENT: ReadonlySet<string> = new Set(['POST /users/me/presence', 'GET /realm/presence'])

/** Returns the priority of a request in a busy server. */
export function priorityOf(method: string, path: string): Priority {
  if (path === HEALTH_PATH) return 'urgent'
  // This runs for each request; these two checks decide most of them.
  if (!path.endsWith('/presence') && !path.endsWith('/events')) return 'normal'
  const apiPath = readApiPath(path)
  if (apiPath === null) return 'normal'
  if (apiPath.path === '/events' && method === 'GET') return 'polls'
  return URGENT.has(`${method} ${apiPath.path}`) ? 'urgent' : 'normal'
}
