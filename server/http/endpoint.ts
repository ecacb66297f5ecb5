import type { KeyObject } from 'node:crypto'
import type { z } from 'zod'
import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import type { Deferred } from '#lib/deferred.ts'
import type { Refusal, RefusalKind } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import type { Random } from '#lib/secrets.ts'
import type { SharedJson } from '#lib/shared-json.ts'
import type { FileStore } from '#storage/files.ts'
import type { Db, RunTransaction, Storage } from '#storage/storage.ts'
import type { AccountTypes, Authentication, Caller } from './authentication.ts'
import type { BodyBudget, InFlight, WorkBudget } from './budgets.ts'
import type { HttpRequest, IncomingFiles, ResponseHeaders, UploadedFile } from './http-types.ts'
import type { ParamsOf, ParamTypes } from './params.ts'
import type { Attempts, RateLimiter, SecurityLines } from './rate-limits.ts'
import type { Priority } from './wire/admission.ts'

// An endpoint as one value: its route, parameters, response, refusals, callers and handler. Routing, the OpenAPI
// document, the reference page, the limits of bodies, the priority of calls and the response checks of the tests derive
// from it. A handler runs once the caller is authenticated and within their limits, and its parameters have the
// declared types. It may throw declared refusals; any other error is a bug, which is logged and answered with 500.

/** The parts of the running server that endpoints use. A feature declares its own beside them, in its own files. */
// biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended by other files
export interface Services {
  db: Db
  transaction: RunTransaction
  publish: Storage['publish']
  clock: Clock
  random: Random
  settings: Settings
  log: Log
  /** Receives reports about the work of the server; undefined if nothing is measured. */
  meter: Meter | undefined
  authentication: Authentication
  securityLines: SecurityLines
  files: FileStore
  /** Counts the requests of an account by its id, and the requests for a file by a key of the file. */
  rateLimiter: RateLimiter
  attempts: Attempts
  workBudget: WorkBudget
  inFlight: InFlight
  uploadsInFlight: InFlight
  bodyBudget: BodyBudget
  /** The secret from which links are derived. */
  secret: KeyObject
  /** The first database of several, with the directory of organizations, for the services of another one. */
  directory?: Pick<Storage, 'db' | 'transaction'>
  /** The time at which this server process was started. */
  startedAt: number
  /** True for test servers only: they return the API key of any account to anyone. */
  isDisposable: boolean
}

/**
 * The callers of an endpoint: `anyone` (no credentials), any `user` including bots, a `human`, a `member` (a human who
 * is not a guest), or a `webhook bot`: an incoming-webhook bot, whose API key may be the parameter `api_key`. A
 * `spectator` is any user or, under /json, a visitor without an account, if the organization allows that.
 */
export type CallerKind = 'anyone' | 'user' | 'human' | 'member' | 'webhook bot' | 'spectator'

/** One authenticated call. */
export type Call = Services &
  Caller & {
    /** The name of the calling program, at most 30 characters. */
    client: string
    /** The User-Agent header as sent, or ''. */
    userAgent: string
    remoteAddress: string
    uploads: readonly UploadedFile[]
    /** Null unless the endpoint declares `readsFiles`. */
    incomingFiles: IncomingFiles | null
    /** Null unless the endpoint declares `takesAnyBody`. */
    delivery: Delivery | null
    /** Charges additional units of work to the user's budget. */
    charge(units: number): void
    /** Additional headers of the response. */
    responseHeaders: ResponseHeaders
  }

/** The parts of a request that another service has sent in a format of its own. */
export type Delivery = Pick<HttpRequest, 'headers' | 'query' | 'body' | 'rawBody'>

/** One call of a user or a spectator. Only the `actor` tells which of them it is, and access functions ask it. */
type SpectatorCall = Omit<Call, Exclude<keyof Caller, 'actor'>>

/** One call without credentials. */
export type AnonymousCall = Omit<Call, keyof Caller> & {
  /** The organization that the Host header names; null if there is none. */
  realm: AccountTypes['realm'] | null
}

/** The fields of a response as JSON text: `"name":value` pairs joined by commas. */
export type PreparedJson = { readonly preparedJson: string | SharedJson }

/** A response that is plain text, for services that expect one. */
export class PlainText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The JSON of a response that waits for an event. While it waits, it should keep little of the call in memory. */
export type DeferredJson = Deferred<string>

type PathNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

/** The parameters in the path: whole numbers unless `path` declares another type. */
type PathParams<Route extends string, Path extends ParamTypes> = {
  [Name in PathNames<Route>]: Name extends keyof Path ? z.output<Path[Name]> : number
}

type Shape = Readonly<Record<string, z.ZodType>>

type Result<Returns extends Shape> = {
  [Name in keyof Returns as undefined extends z.input<Returns[Name]> ? Name : never]?: z.input<Returns[Name]>
} & {
  [Name in keyof Returns as undefined extends z.input<Returns[Name]> ? never : Name]: z.input<Returns[Name]>
}

type Declaration<
  Route extends string,
  Who extends CallerKind,
  Path extends ParamTypes,
  Params extends ParamTypes,
  Returns extends Shape,
> = {
  /** Method and path, such as `GET /messages/{message_id}`: under /api/v1 with a key, under /json with a session. */
  route: Route
  summary: string
  /** A longer text for the API reference. */
  description?: string
  who: Who
  /** True if incoming-webhook bots may call the endpoint as well. */
  allowsWebhookBots?: boolean
  /** The types of path parameters that are not whole numbers. */
  path?: Path
  /** The parameters, in the order in which they are checked. */
  params?: Params
  /** The maximum size of an uploaded file, in bytes. If omitted, files are ignored. */
  maxUploadBytes?: number
  /** True if the handler reads files of any size while they arrive. Such an endpoint has no params. */
  readsFiles?: boolean
  /**
   * True if the body has a format of its own. The handler gets it as `delivery`; its fields are parameters only if they
   * are declared.
   */
  takesAnyBody?: boolean
  /** Returns the text of a refusal and its status, for services that do not expect JSON. */
  refusalToText?: (refused: Refusal) => { status: number; text: string }
  /** True if the response contains secrets, such as links that grant access. Such a response is never compressed. */
  holdsSecrets?: boolean
  /** The priority of the calls in a busy server, if it is not `normal`. The path must have no parameters. */
  priority?: Exclude<Priority, 'normal'>
  returns?: Returns
  refuses?: readonly RefusalKind[]
  handle(
    call: Who extends 'anyone' ? AnonymousCall : Who extends 'spectator' ? SpectatorCall : Call,
    params: ParamsOf<Params> & PathParams<Route, Path>,
  ): Promise<Result<Returns> | PreparedJson | DeferredJson | PlainText> | Result<Returns> | PreparedJson
}

/**
 * One operation of the API. The router, the API reference, and the checks of parameters and responses derive from this
 * value.
 */
export type Endpoint = {
  readonly method: Method
  /** The path under /api/v1, with its parameters in braces. */
  readonly path: string
  readonly summary: string
  readonly description: string
  /** The feature under which the OpenAPI document lists the endpoint; '' until `tagged` sets it. */
  readonly tag: string
  readonly who: CallerKind
  readonly allowsWebhookBots: boolean
  readonly pathTypes: ParamTypes
  readonly params: ParamTypes
  readonly maxUploadBytes: number | null
  readonly readsFiles: boolean
  readonly takesAnyBody: boolean
  readonly refusalToText: ((refused: Refusal) => { status: number; text: string }) | null
  readonly holdsSecrets: boolean
  readonly priority: Priority
  readonly returns: Shape
  readonly refuses: readonly RefusalKind[]
  readonly handle: (call: never, params: never) => unknown
}

/** An endpoint with the types of its declaration, for typed callers. The types do not exist at run time. */
type DeclaredEndpoint<
  Route extends string,
  Path extends ParamTypes,
  Params extends ParamTypes,
  Returns extends Shape,
> = Endpoint & { readonly declared?: { route: Route; path: Path; params: Params; returns: Returns } }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export function endpoint<
  const Route extends `${Method} /${string}`,
  Who extends CallerKind,
  // biome-ignore lint/complexity/noBannedTypes: an omitted declaration is the empty object
  Path extends ParamTypes = {},
  // biome-ignore lint/complexity/noBannedTypes: as above
  Params extends ParamTypes = {},
  // biome-ignore lint/complexity/noBannedTypes: as above
  Returns extends Shape = {},
>(declaration: Declaration<Route, Who, Path, Params, Returns>): DeclaredEndpoint<Route, Path, Params, Returns> {
  const [method, path] = declaration.route.split(' ') as [Method, string]
  return {
    method,
    path,
    summary: declaration.summary,
    description: declaration.description ?? '',
    tag: '',
    who: declaration.who,
    allowsWebhookBots: declaration.allowsWebhookBots ?? false,
    pathTypes: declaration.path ?? {},
    params: declaration.params ?? {},
    maxUploadBytes: declaration.maxUploadBytes ?? null,
    readsFiles: declaration.readsFiles ?? false,
    takesAnyBody: declaration.takesAnyBody ?? false,
    refusalToText: declaration.refusalToText ?? null,
    holdsSecrets: declaration.holdsSecrets ?? false,
    priority: declaration.priority ?? 'normal',
    returns: declaration.returns ?? {},
    refuses: declaration.refuses ?? [],
    handle: declaration.handle as Endpoint['handle'],
  }
}

/** Returns the endpoints of a feature with its name as their tag. */
export function tagged<Tagged extends Endpoint>(tag: string, endpoints: readonly Tagged[]): Tagged[] {
  return endpoints.map((endpoint) => ({ ...endpoint, tag }))
}

/** The handler of a path and method. */
type Route<Handler> = { readonly path: string; readonly method: Method; readonly handler: Handler }

/** The handlers of a path by method, and the values of its parameters. */
type Match<Handler> = {
  readonly methods: ReadonlyMap<Method, Handler>
  readonly values: Readonly<Record<string, string>>
}

/** Returns the methods of a path in alphabetical order, with HEAD if there is GET. */
export const allowedMethods = (methods: ReadonlyMap<Method, unknown>): string[] =>
  [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])].toSorted()

type Pattern<Handler> = { first: string; expression: RegExp; names: readonly string[]; methods: Map<Method, Handler> }

/**
 * Returns a function that finds the handlers of a path. Paths without parameters come first, then paths with numbers,
 * then all others. So `/users/me` is never a user's email address.
 */
export function buildRouter<Handler>(
  routes: readonly Route<Handler>[],
  endpoints: ReadonlyMap<string, Endpoint['pathTypes']>,
) {
  const exact = new Map<string, Map<Method, Handler>>()
  const patterns = new Map<string, Pattern<Handler>>()
  for (const { path, method, handler } of routes) {
    if (!path.includes('{')) {
      if (!exact.has(path)) exact.set(path, new Map())
      exact.get(path)?.set(method, handler)
      continue
    }
    const { expression, names } = patternOf(path, endpoints.get(`${method} ${path}`) ?? {})
    const key = expression.source
    if (!patterns.has(key)) patterns.set(key, { first: firstSegment(path), expression, names, methods: new Map() })
    patterns.get(key)?.methods.set(method, handler)
  }
  const ordered = [...patterns.values()].toSorted((item, other) => looseness(item) - looseness(other))
  // Every path begins with a fixed segment, so only patterns with the same first segment are tried.
  const byFirstWord = Map.groupBy(ordered, ({ first }) => first)

  return function match(path: string): Match<Handler> | null {
    const methods = exact.get(path)
    if (methods !== undefined) return { methods, values: {} }
    for (const pattern of byFirstWord.get(firstSegment(path)) ?? []) {
      const found = pattern.expression.exec(path)
      if (found === null) continue
      const values: Record<string, string> = {}
      for (const [at, name] of pattern.names.entries()) values[name] = decodeSegment(found[at + 1] ?? '')
      return { methods: pattern.methods, values }
    }
    return null
  }
}

const restParameters = new WeakSet<z.ZodType>()

/** Marks a path parameter that matches the rest of the path including slashes. It must be the last parameter. */
export function restOfPath<Type extends z.ZodType>(type: Type): Type {
  restParameters.add(type)
  return type
}

function patternOf(path: string, types: Endpoint['pathTypes']): { expression: RegExp; names: string[] } {
  const names: string[] = []
  const source = path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, (_, name) => {
    names.push(name)
    if (!Object.hasOwn(types, name)) return '([0-9]+)'
    return restParameters.has(types[name] as z.ZodType) ? '(.+)' : '([^/]+)'
  })
  return { expression: new RegExp(`^${source}$`), names }
}

/** Returns the first segment of a path. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return end === -1 ? path : path.slice(0, end)
}

/**
 * A pattern whose parameter matches the rest of the path is less specific than a pattern with any number of other
 * parameters.
 */
const looseness = ({ expression: { source } }: Pattern<unknown>) =>
  source.split('([^/]+)').length + (source.endsWith('(.+)$') ? 100 : 0)

/** Decodes percent-escapes. A segment that is not valid UTF-8 stays unchanged. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
