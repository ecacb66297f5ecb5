import type { KeyObject } from 'node:crypto'
import type { z } from 'zod'
import type { Settings } from '../config.ts'
import type { EventHub } from '../events/queues/event-hub.ts'
import type { Rerenderer } from '../messages/rerendering/rerenderer.ts'
import type { Realm } from '../organizations/realms/realm.ts'
import type { Session } from '../people/sessions/session.ts'
import type { KeyUses } from '../people/users/key-uses.ts'
import type { Passwords } from '../people/users/passwords/passwords.ts'
import type { Actor } from '../people/users/user.ts'
import type { SharedJson } from '../platform/encoding/shared-json.ts'
import type { RefusalKind } from '../platform/errors/refusal.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Deferred } from '../platform/runtime/deferred.ts'
import type { Log } from '../platform/runtime/log.ts'
import type { Random } from '../platform/security/random.ts'
import type { FileStore } from '../platform/storage/files/files.ts'
import type { Db, RunTransaction } from '../platform/storage/storage.ts'
import type { PresenceBoard } from '../presence/board.ts'
import type { Attempts } from './attempts.ts'
import type { InFlight } from './in-flight.ts'
import type { ParamsOf, ParamTypes } from './params.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { IncomingFiles, ResponseHeaders, UploadedFile } from './wire/http-types.ts'
import type { WorkBudget } from './work.ts'

/** What the running server consists of, as far as endpoints use it. */
export type Services = {
  db: Db
  transaction: RunTransaction
  clock: Clock
  random: Random
  settings: Settings
  log: Log
  files: FileStore
  passwords: Passwords
  keyUses: KeyUses
  /** Counts requests: of an account under its id, for a file under a key of its own. */
  rateLimiter: RateLimiter
  attempts: Attempts
  workBudget: WorkBudget
  inFlight: InFlight
  /** What links are derived from. */
  secret: KeyObject
  presence: PresenceBoard
  hub: EventHub
  rerenderer: Rerenderer
  /** Whether the server is there for tests alone: it gives anybody's API key to whoever asks. */
  isDisposable: boolean
}

/**
 * Who may call an endpoint: `anyone`, without credentials; any `user`, bots included; a `human`; or a `member`, which
 * is a human who is no guest.
 */
export type CallerKind = 'anyone' | 'user' | 'human' | 'member'

/** One authenticated call. */
export type Call = Services & {
  actor: Actor
  /** What the actor is signed in by; null for one who calls with an API key. */
  session: Session | null
  /** The name of the calling program, at most 30 characters. */
  client: string
  /** The User-Agent header as it was sent, '' when it was not. */
  userAgent: string
  remoteAddress: string
  uploads: readonly UploadedFile[]
  /** For endpoints that declare `readsFiles`, and null for all others. */
  incomingFiles: IncomingFiles | null
  /** Adds units of work, which the limits of the person count, to what every request costs. */
  charge(units: number): void
  /** For what the answer says beside its fields. */
  responseHeaders: ResponseHeaders
  /** Refuses when the credentials of the call no longer hold; at once where nothing has to be looked up. */
  reauthenticate: () => unknown
}

/** One call without credentials. */
export type AnonymousCall = Omit<Call, 'actor' | 'session' | 'reauthenticate'> & {
  /** The organization that the Host header means; null when there is none. */
  realm: Realm | null
}

/** An answer's fields already written as JSON: `"name":value` pairs joined by commas. */
export type PreparedJson = { readonly preparedJson: string | SharedJson }

/** Such pairs when there is news; what waits for them should keep little of the call. */
export type DeferredJson = Deferred<string>

type PathNames<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never

/** Parameters in the path: whole numbers, but for those that `path` gives another type. */
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
  /** Method and path, under /api/v1 with a key and under /json with a session: `GET /messages/{message_id}`. */
  route: Route
  summary: string
  /** Longer text for the reference. */
  description?: string
  who: Who
  /** Whether incoming-webhook bots may call it, too. */
  allowsWebhookBots?: boolean
  /** The type of each path parameter that is not a whole number. */
  path?: Path
  /** In the order in which they are checked. */
  params?: Params
  /** The most that an uploaded file may measure, in bytes; without it no files are taken. */
  maxUploadBytes?: number
  /** Whether the handler reads the files itself while they arrive, however large they are; then it takes no params. */
  readsFiles?: boolean
  /** Whether the answer shows secrets, such as links that let people in: it is never compressed. */
  holdsSecrets?: boolean
  returns?: Returns
  refuses?: readonly RefusalKind[]
  handle(
    call: Who extends 'anyone' ? AnonymousCall : Call,
    params: ParamsOf<Params> & PathParams<Route, Path>,
  ): Promise<Result<Returns> | PreparedJson | DeferredJson> | Result<Returns> | PreparedJson
}

/** One operation of the API: routing, the reference, the checks of parameters and of answers derive from this value. */
export type Endpoint = {
  readonly method: Method
  /** Under /api/v1, with path parameters in braces. */
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
  readonly holdsSecrets: boolean
  readonly returns: Shape
  readonly refuses: readonly RefusalKind[]
  readonly handle: (call: never, params: never) => unknown
}

/** What a declaration says of its calls, for callers that take their types from it; there is nothing of it at run time. */
export type DeclaredEndpoint<
  Route extends string,
  Path extends ParamTypes,
  Params extends ParamTypes,
  Returns extends Shape,
> = Endpoint & { readonly declared?: { route: Route; path: Path; params: Params; returns: Returns } }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Declares an endpoint. */
export function endpoint<
  const Route extends `${Method} /${string}`,
  Who extends CallerKind,
  // biome-ignore lint/complexity/noBannedTypes: the empty object is what an omitted declaration amounts to
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
    holdsSecrets: declaration.holdsSecrets ?? false,
    returns: declaration.returns ?? {},
    refuses: declaration.refuses ?? [],
    handle: declaration.handle as Endpoint['handle'],
  }
}

/** Returns the endpoints of a feature with its name as their tag. */
export function tagged<One extends Endpoint>(tag: string, endpoints: readonly One[]): One[] {
  return endpoints.map((one) => ({ ...one, tag }))
}
