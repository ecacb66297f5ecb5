import { programVersion } from '#lib/runtime/project-root.ts'
import type { Storage } from '#storage/storage.ts'
import type { HttpRequest, HttpResponse } from './wire/http-types.ts'

/** The path where a proxy checks whether to send requests to this server. */
export const HEALTH_PATH = '/health'

/** The failing jobs, each with the UNIX time since which every attempt has failed. */
type FailingJobs = () => readonly { name: string; since: number }[]

/**
 * Responds 200 while the database can be read and written, else 503; returns null for all other paths. The first line
 * names the state, the second one the version. Failing jobs follow. They do not change the status, because they would
 * fail on another node as well.
 */
export function healthPage(
  storage: Pick<Storage, 'isReady'>,
  failingJobs: FailingJobs,
): (request: Pick<HttpRequest, 'method' | 'path'>) => Promise<HttpResponse> | null {
  return ({ method, path }) =>
    path === HEALTH_PATH && (method === 'GET' || method === 'HEAD') ? answer(storage, failingJobs) : null
}

async function answer(storage: Pick<Storage, 'isReady'>, failingJobs: FailingJobs): Promise<HttpResponse> {
  const isReady = await storage.isReady()
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  const state = isReady ? 'ok' : 'The database is not ready'
  const lines = [state, `Parley ${programVersion}`, ...failingJobs().map(describe)]
  return { status: isReady ? 200 : 503, headers, body: `${lines.join('\n')}\n` }
}

const describe = ({ name, since }: { name: string; since: number }) =>
  `The job ${name} has been failing since ${new Date(since * 1000).toISOString()}`
