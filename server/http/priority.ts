import { readApiPath } from './api-path.ts'
import { HEALTH_PATH } from './health-page.ts'
import type { Priority } from './wire/admission.ts'

/** What is asked for all the time, costs little, and is missed at once when it fails: by proxies, and in everybody's list. */
const URGENT: ReadonlySet<string> = new Set(['POST /users/me/presence', 'GET /realm/presence'])

/** Which requests a busy server answers first. */
export function priorityOf(method: string, path: string): Priority {
  if (path === HEALTH_PATH) return 'urgent'
  // This is asked for each request, and answered for most by these two looks.
  if (!path.endsWith('/presence') && !path.endsWith('/events')) return 'normal'
  const called = readApiPath(path)
  if (called === null) return 'normal'
  if (called.path === '/events' && method === 'GET') return 'polls'
  return URGENT.has(`${method} ${called.path}`) ? 'urgent' : 'normal'
}
