import type { Storage } from '../platform/storage/storage.ts'
import type { HttpRequest, HttpResponse } from './wire/http-types.ts'

/** The path where a proxy checks whether to send requests to this server. */
export const HEALTH_PATH = '/health'

/** Responds 200 while the database can be read and written, else 503; returns null for all other paths. */
export function healthPage(
  storage: Pick<Storage, 'isReady'>,
): (request: Pick<HttpRequest, 'method' | 'path'>) => Promise<HttpResponse> | null {
  return ({ method, path }) =>
    path === HEALTH_PATH && (method === 'GET' || method === 'HEAD') ? answer(storage) : null
}

async function answer(storage: Pick<Storage, 'isReady'>): Promise<HttpResponse> {
  const isReady = await storage.isReady()
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return { status: isReady ? 200 : 503, headers, body: isReady ? 'ok\n' : 'The database is not ready\n' }
}
