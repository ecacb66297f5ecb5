import type { z } from 'zod'
import type { Api } from '#api.ts'
import { ApiError, emitOutcome } from './api-error.ts'
import { csrfToken, signInAgain } from './session.ts'

/** A route of the API, such as `GET /messages`. */
type Route = keyof Api

type Types = Readonly<Record<string, z.ZodType>>

type OptionalNames<Each extends Types> = {
  [Name in keyof Each]: undefined extends z.input<Each[Name]> ? Name : never
}[keyof Each]

type Input<Each extends Types> = { [Name in Exclude<keyof Each, OptionalNames<Each>>]: z.input<Each[Name]> } & {
  [Name in OptionalNames<Each>]?: z.input<Each[Name]>
}

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

/** The parameters of a route, including the parameters in its path. */
type ParamsOf<R extends Route> = Input<Api[R]['params']> & { [Name in PathNames<R>]: string | number }

/** The response of a route, as the server declares it. */
export type AnswerOf<R extends Route> = Input<Api[R]['returns']>

type Options = { signal?: AbortSignal }

/**
 * The maximum length of a call that continues after the page is left, in characters. Browsers refuse such calls if they
 * exceed 64 KiB together. Longer calls are cancelled when the page is left.
 */
const MAX_KEPT_ALIVE = 4096

/** Parameters can be omitted if none of them is required. */
type Args<R extends Route> =
  Record<never, never> extends ParamsOf<R>
    ? [params?: ParamsOf<R>, options?: Options]
    : [params: ParamsOf<R>, options?: Options]

/**
 * Calls the API with the session of this browser. Throws `ApiError` if the call fails. Without a session, opens the
 * login page and never resolves.
 */
export async function call<R extends Route>(route: R, ...[params, options]: Args<R>): Promise<AnswerOf<R>> {
  const { method, path, fields } = toRequest(route, params ?? {})
  const isRead = method === 'GET'
  const query = isRead && fields.size > 0 ? `?${fields}` : ''
  const answer = await send(route, `/json${path}${query}`, {
    method,
    headers: { 'X-CSRFToken': csrfToken() },
    ...(!isRead && { body: fields, keepalive: String(fields).length <= MAX_KEPT_ALIVE }),
    ...(options?.signal && { signal: options.signal }),
  })
  return answer as AnswerOf<R>
}

type UploadRoute =
  | 'POST /user_uploads'
  | 'POST /users/me/avatar'
  | 'POST /realm/emoji/{emoji_name}'
  | 'POST /realm/icon'
  | 'POST /realm/logo'

/** Uploads a file in a call like those of `call`. `params` are the parameters of the path and of the query. */
export async function upload<R extends UploadRoute>(
  route: R,
  file: File,
  { params = {}, ...options }: Options & { params?: Record<string, string> } = {},
): Promise<AnswerOf<R>> {
  const { method, path, fields } = toRequest(route, params)
  const body = new FormData()
  body.set('file', file)
  const answer = await send(route, `/json${path}${fields.size > 0 ? `?${fields}` : ''}`, {
    method,
    headers: { 'X-CSRFToken': csrfToken() },
    body,
    ...options,
  })
  return answer as AnswerOf<R>
}

/**
 * Returns the method, the path and the form fields of a request. Strings are sent as they are, other values as JSON.
 */
function toRequest(route: string, params: object): { method: string; path: string; fields: URLSearchParams } {
  const [method, pattern] = route.split(' ') as [string, string]
  const values = new Map(Object.entries(params).filter(([, value]) => value !== undefined))
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)
    values.delete(name)
    return encodeURIComponent(String(value))
  })
  const fields = new URLSearchParams()
  for (const [name, value] of values) fields.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return { method, path, fields }
}

async function send(route: string, url: string, init: RequestInit): Promise<unknown> {
  const fail = (error: unknown): never => {
    if (init.signal?.aborted) throw error
    emitOutcome({ route, isAnswered: false })
    throw new ApiError('No response', {
      status: 0,
      code: 'UNREACHABLE',
      route,
      field: null,
      extras: {},
    })
  }
  const response = await fetch(url, init).catch(fail)
  // The connection may break before the end of the response, or a network may respond with its own login page.
  const body = await response.json().catch((error: unknown) => (response.ok ? fail(error) : null))
  // Proxies respond with 502 or higher while the server behind them is down.
  emitOutcome({ route, isAnswered: response.status < 502 })
  if (response.ok) return body
  if (response.status === 401 && body?.code === 'UNAUTHORIZED') return signInAgain()
  const { msg, code, result: _, ...extras } = body ?? {}
  throw new ApiError(msg ?? '', {
    status: response.status,
    code: code ?? 'UNKNOWN',
    route,
    field: response.headers.get('refused-field'),
    extras,
  })
}
