import type { Log } from '#lib/runtime/log.ts'
import { decodeFormText } from '../body/form.ts'

/** Paths whose last part is a key or a token. */
const SECRET_PATH =
  /\/(do_confirm|join|temporary|confirm_new_email|undo_new_email|reset|new|unsubscribe|end_mail|end_digest)\/+[^/]+/g

/** Returns the path without the keys and tokens in it, which must not be logged. */
export function redactedPath(path: string): string {
  const readable = path.includes('%') ? decodeFormText(path.replaceAll('+', '%2B')) : path
  return readable.replace(SECRET_PATH, '/$1/…')
}

/** The logged part of a request. `startedAt` is a value of `performance.now()`. */
export type LoggedRequest = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly startedAt: number
}

/** Writes one line for each request, never its query, headers, or body. */
export function logRequest(log: Log, request: LoggedRequest, status: number): void {
  if (!log.isLevelEnabled('info')) return
  const ms = Math.round((performance.now() - request.startedAt) * 100) / 100
  log.info({ id: request.id, method: request.method, path: redactedPath(request.path), status, ms }, 'request')
}
