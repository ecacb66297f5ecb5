import { Deferred } from '#lib/deferred.ts'
import { Refusal } from '#lib/errors.ts'
import { ownLength, type SharedJson, surround, toText } from '#lib/shared-json.ts'
import { type RunTransaction, withOrigin } from '#storage/storage.ts'
import { type Caller, readApiPath, requireSameSite, type Sender, type Spectator } from './authentication.ts'
import { withJsonBody } from './body/json-body.ts'
import { FILE_BYTES_PER_UNIT, workOf } from './budgets.ts'
import {
  type CallerServices,
  clientName,
  countRefusedBody,
  logRefusal,
  requireActor,
  requireWebhookBot,
  requireWorkBudget,
  withinSpectatorLimits,
} from './caller.ts'
import {
  type AnonymousCall,
  allowedMethods,
  buildRouter,
  type Call,
  type DeferredJson,
  type Delivery,
  type Endpoint,
  type Method,
  PlainText,
  type PreparedJson,
  type Services,
} from './endpoint.ts'
import type {
  AuthMethod,
  BufferedResponse,
  DeferredResponse,
  HttpRequest,
  HttpResponse,
  ResponseHeaders,
} from './http-types.ts'
import { paramsDecoder } from './params.ts'
import {
  methodNotAllowed,
  notForBots,
  notForGuests,
  notFound,
  notLoggedIn,
  toRefusalOrLogin,
  toRefusalResponse,
} from './refusals.ts'
import { acceptsGzip, encodeJson, jsonTextResponse } from './responses.ts'
import { apiHeaders } from './security-headers.ts'

/** Called with each response of an endpoint. The tests compare it with the endpoint's declaration. */
export type ResponseObserver = (
  endpoint: Endpoint,
  response: { status: number; body: string },
  refusal: Refusal | null,
) => void

type Dependencies = {
  endpoints: readonly Endpoint[]
  services: Services
  responseObserver?: ResponseObserver
}

type Handler = Pick<Endpoint, 'holdsSecrets' | 'takesAnyBody' | 'refusalToText'> & {
  readonly run: Run
}

type Run = (
  request: HttpRequest,
  authMethod: AuthMethod,
  pathValues: Readonly<Record<string, string>>,
  headers: ResponseHeaders,
) => Promise<Answer>

type Answer = Json | Deferred<string> | PlainText

type Json = string | SharedJson

type Anyone = Pick<AnonymousCall, 'realm'>

const overridable = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])

/**
 * Handles the requests under /api/v1, which have an API key, and under /json, which have a session. Returns null for
 * other paths. The order of the steps is part of the contract.
 */
export function buildDispatch(
  dependencies: Dependencies,
): (request: HttpRequest) => Promise<HttpResponse | DeferredResponse> | null {
  const { services } = dependencies
  const match = buildRouter(
    dependencies.endpoints.map((endpoint) => ({ ...endpoint, handler: buildHandler(endpoint, dependencies) })),
    new Map(dependencies.endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint.pathTypes])),
  )

  async function handle(
    received: HttpRequest,
    { authMethod, path }: { authMethod: AuthMethod; path: string },
  ): Promise<HttpResponse | DeferredResponse> {
    const headers = apiHeaders(authMethod)
    let handler: Handler | undefined
    try {
      const request = readJsonBody(received)
      if (request instanceof Refusal) {
        await countRefusedBody(services, received, headers)
        throw request
      }
      const found = match(path)
      if (found === null) throw notFound()
      const mayOverride = found.methods.get(request.method as Method)?.takesAnyBody !== true
      const method = mayOverride ? requestedMethod(request) : request.method
      handler = found.methods.get((method === 'HEAD' ? 'GET' : method) as Method)
      if (handler === undefined) {
        const allowed = allowedMethods(found.methods)
        headers['allow'] = allowed.join(', ')
        if (method === 'OPTIONS') return { status: 204, headers, body: '' }
        throw methodNotAllowed({ methods: allowed })
      }
      const body = await handler.run(request, authMethod, found.values, headers)
      if (body instanceof PlainText) return plainTextResponse(200, body.text, headers)
      const mayCompress = !handler.holdsSecrets && acceptsGzip(request)
      if (typeof body === 'string') return jsonTextResponse(body, headers, mayCompress)
      if (body instanceof Deferred) return body.map(deferredResponse, { headers, authMethod, mayCompress })
      const encoded = encodeJson(body, request, headers)
      return { status: 200, headers, body: encoded instanceof Promise ? await encoded : encoded }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await logRefusal(dependencies.services, received, error)
      const inText = handler?.refusalToText?.(error)
      if (inText !== undefined) return plainTextResponse(inText.status, inText.text, headers)
      return toRefusalOrLogin(received, error, headers, authMethod)
    }
  }
  return (request) => {
    const apiPath = readApiPath(request.path)
    return apiPath === null ? null : handle(request, apiPath)
  }
}

const plainTextResponse = (status: number, body: string, headers: ResponseHeaders): BufferedResponse => ({
  status,
  headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
  body,
})

function readJsonBody(request: HttpRequest): HttpRequest | Refusal {
  try {
    return withJsonBody(request)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

type ResponseOptions = { headers: ResponseHeaders; authMethod: AuthMethod; mayCompress: boolean }

function deferredResponse(get: () => string, { headers, authMethod, mayCompress }: ResponseOptions): BufferedResponse {
  try {
    return jsonTextResponse(get(), headers, mayCompress)
  } catch (error) {
    if (error instanceof Refusal) return toRefusalResponse(error, headers, authMethod)
    throw error
  }
}

/** A form field named `method` in the body of a POST replaces the verb. */
function requestedMethod(request: HttpRequest): string {
  const mayOverride = request.method === 'POST' && request.jsonKinds === undefined
  const override = mayOverride ? request.body.get('method') : undefined
  if (override === undefined) return request.method
  return overridable.has(override) ? override : 'UNKNOWN'
}

const buildHandler = (endpoint: Endpoint, dependencies: Dependencies): Handler => ({
  holdsSecrets: endpoint.holdsSecrets,
  takesAnyBody: endpoint.takesAnyBody,
  refusalToText: endpoint.refusalToText,
  run: buildRun(endpoint, dependencies),
})

function buildRun(endpoint: Endpoint, dependencies: Dependencies): Run {
  const { services, responseObserver } = dependencies
  const decodePath = paramsDecoder(endpoint.pathTypes)
  const decodeParams = paramsDecoder(endpoint.params)
  const hasPathParams = endpoint.path.includes('{')
  const OneCall = callsWith(services)

  const run: Run = async (request, authMethod, pathValues, headers) => {
    const find = (name: string) => request.body.get(name) ?? request.query.get(name)
    const found =
      endpoint.who === 'anyone'
        ? requireAnyone(services, request, authMethod)
        : endpoint.who === 'webhook bot'
          ? requireWebhookBot(services, request, headers, authMethod)
          : endpoint.who === 'spectator' && authMethod === 'session'
            ? requireActorOrSpectator(services, request, headers)
            : requireActor(services, request, headers, { authMethod, allowsWebhookBots: endpoint.allowsWebhookBots })
    const caller = found instanceof Promise ? await found : found
    if ('sender' in caller) requireKind(endpoint.who, caller.sender)
    const params: Record<string, unknown> = decodeParams(find, request.jsonKinds)
    if (hasPathParams) {
      Object.assign(
        params,
        decodePath((name) => pathValues[name]),
        pathNumbers(endpoint, pathValues),
      )
    }
    const call = Object.assign(new OneCall(request, authMethod, headers), caller)
    if (endpoint.takesAnyBody) call.delivery = request
    const answer = async () => {
      const result = (await endpoint.handle(call as never, params as never)) as object | PreparedJson | DeferredJson
      if (result instanceof PlainText) return result
      const ignored = ignoredParameters(endpoint, request)
      return result instanceof Deferred ? result.map(succeedLater, ignored) : success(result, ignored)
    }
    if (!('sender' in call)) {
      if (!('isSpectator' in call)) return answer()
      return withinSpectatorLimits(services, request.remoteAddress, async () => {
        const result = await answer()
        return { answer: result, units: workOf(call.chargedUnits, typeof result === 'string' ? result.length : 0) }
      })
    }
    if (endpoint.readsFiles) return withUploadLimit(services, call, answer)
    return services.settings.RATE_LIMITING ? withinLimits(services, call, answer) : answer()
  }
  if (responseObserver === undefined) return run
  const observe = <Body extends Json>(get: () => Body): Body => {
    try {
      const body = get()
      responseObserver(endpoint, { status: 200, body: typeof body === 'string' ? body : toText(body) }, null)
      return body
    } catch (error) {
      if (error instanceof Refusal) responseObserver(endpoint, { status: error.kind.status, body: '' }, error)
      throw error
    }
  }
  return async (...values) => {
    const body = await run(...values).catch((error: unknown) =>
      observe(() => {
        throw error
      }),
    )
    if (body instanceof PlainText) return body
    return body instanceof Deferred ? body.map(observe, null) : observe(() => body)
  }
}

type LimitedCall = { readonly sender: Sender; readonly chargedUnits: number; readonly responseHeaders: ResponseHeaders }

type UploadCall = LimitedCall & Pick<Call, 'incomingFiles' | 'charge'>

/**
 * Handles the call once few enough other files of the user are arriving. Such calls do not hold up other requests of the
 * user, because a file may take an hour to arrive.
 */
async function withUploadLimit(services: Services, call: UploadCall, answer: () => Promise<Answer>): Promise<Answer> {
  const { uploadsInFlight, settings } = services
  const userId = call.sender.personId
  const place = uploadsInFlight.enter(userId, false)
  if (place !== null) await place
  try {
    if (!settings.RATE_LIMITING) return await answer()
    if (place !== null) requireWorkBudget(services, userId, call.responseHeaders)
    return await charged(services, call, async () => {
      try {
        return await answer()
      } finally {
        call.charge((call.incomingFiles?.received ?? 0) / FILE_BYTES_PER_UNIT)
      }
    })
  } finally {
    uploadsInFlight.leave(userId)
  }
}

/** Handles the call once the user has few enough other requests in progress, and charges their work budget. */
async function withinLimits(services: Services, call: LimitedCall, answer: () => Promise<Answer>): Promise<Answer> {
  const { inFlight, workBudget, settings, clock } = services
  const userId = call.sender.personId
  const place = inFlight.enter(userId, workBudget.isBusy(userId, settings.RATE_LIMITING_WORK, clock.now()))
  if (place !== null) await place
  try {
    // Earlier requests may have used up the budget.
    if (place !== null) requireWorkBudget(services, userId, call.responseHeaders)
    return await charged(services, call, answer)
  } finally {
    inFlight.leave(userId)
  }
}

/** Handles the call and charges the user for its work, even if it is refused. */
async function charged(
  { workBudget, settings, clock }: Services,
  call: LimitedCall,
  answer: () => Promise<Answer>,
): Promise<Answer> {
  let length = 0
  try {
    const body = await answer()
    // Shared parts of responses cost little.
    if (typeof body === 'string') length = body.length
    else if (Array.isArray(body)) length = ownLength(body)
    return body
  } finally {
    const units = workOf(call.chargedUnits, length)
    workBudget.charge(call.sender.personId, units, settings.RATE_LIMITING_WORK, clock.now())
  }
}

/** The fields of a call that come from its request. */
type RequestFields = Pick<
  Call,
  'client' | 'userAgent' | 'remoteAddress' | 'uploads' | 'incomingFiles' | 'delivery' | 'responseHeaders' | 'charge'
>

/** The services are the prototype of each call, because copying them would take longer than many of the calls. */
function callsWith(services: Services) {
  const { log } = services
  class OneCall implements RequestFields {
    readonly client: string
    readonly userAgent: string
    readonly remoteAddress: string
    readonly uploads: HttpRequest['files']
    readonly incomingFiles: HttpRequest['incomingFiles']
    delivery: Delivery | null = null
    readonly responseHeaders: ResponseHeaders
    chargedUnits = 0

    constructor(request: HttpRequest, authMethod: AuthMethod, responseHeaders: ResponseHeaders) {
      this.client = clientName(request, authMethod)
      this.userAgent = request.headers['user-agent'] ?? ''
      this.remoteAddress = request.remoteAddress
      this.uploads = request.files
      this.incomingFiles = request.incomingFiles
      this.responseHeaders = responseHeaders
    }

    /** Transactions of the call name it as their origin. */
    get transaction(): RunTransaction {
      const { sender = null, client, userAgent, remoteAddress } = this as Partial<Pick<Call, 'sender'>> & RequestFields
      const origin = { by: 'request', actorId: sender?.id ?? null, remoteAddress, client, userAgent, log } as const
      return withOrigin(services.transaction, origin)
    }

    charge(units: number): void {
      this.chargedUnits += units
    }
  }
  Object.setPrototypeOf(OneCall.prototype, services)
  return OneCall
}

async function requireAnyone(services: CallerServices, request: HttpRequest, authMethod: AuthMethod): Promise<Anyone> {
  if (authMethod === 'session') requireSameSite(request)
  return { realm: await services.authentication.findAddressedRealm(request) }
}

/** Returns the user of a session, or the spectator if there is none. */
async function requireActorOrSpectator(
  services: CallerServices,
  request: HttpRequest,
  headers: ResponseHeaders,
): Promise<Caller | Spectator> {
  try {
    return await requireActor(services, request, headers, { authMethod: 'session' })
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== notLoggedIn) throw error
    return services.authentication.requireSpectator(request)
  }
}

function requireKind(who: Endpoint['who'], { isBot, isGuest }: Sender): void {
  if (who === 'member' && isGuest) throw notForGuests()
  if ((who === 'member' || who === 'human') && isBot) throw notForBots()
}

/** Parses ids in the path. No id exceeds 2^53, so larger numbers may be rounded: they match nothing either way. */
function pathNumbers(endpoint: Endpoint, values: Readonly<Record<string, string>>): Record<string, number> {
  const numbers: Record<string, number> = {}
  for (const name in values)
    if (!Object.hasOwn(endpoint.pathTypes, name))
      numbers[name] = Math.min(Number(values[name]), Number.MAX_SAFE_INTEGER)
  return numbers
}

const NONE: readonly string[] = []

/** Returns the names of the parameters that the endpoint does not know, in code-point order. */
function ignoredParameters({ params, takesAnyBody }: Endpoint, { body, query }: HttpRequest): readonly string[] {
  let ignored = NONE
  for (const fields of body.size === 0 || takesAnyBody ? [query] : [body, query])
    for (const name of fields.keys())
      if (name !== 'client' && !Object.hasOwn(params, name) && !(fields === query && body.has(name)))
        ignored = [...ignored, name]
  return ignored.length < 2 ? ignored : ignored.toSorted(byCodePoint)
}

/** Compares UTF-8 bytes, which have the same order as code points, unlike UTF-16. */
const byCodePoint = (first: string, other: string) => Buffer.compare(Buffer.from(first), Buffer.from(other))

const SUCCESS = '"result":"success","msg":""'

const succeedLater = (get: () => string, ignored: readonly string[]): string => envelope(get(), ignored)

function success(result: object | PreparedJson, ignored: readonly string[]): Json {
  if (!('preparedJson' in result)) return envelope(JSON.stringify(result).slice(1, -1), ignored)
  const { preparedJson } = result
  if (typeof preparedJson === 'string') return envelope(preparedJson, ignored)
  return surround(`{${SUCCESS},`, preparedJson, tailOf(ignored))
}

/** Returns the envelope with these fields. */
function envelope(fields: string, ignored: readonly string[]): string {
  return `{${SUCCESS}${fields === '' ? '' : ','}${fields}${tailOf(ignored)}`
}

const tailOf = (ignored: readonly string[]) =>
  ignored.length === 0 ? '}\n' : `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}}\n`
