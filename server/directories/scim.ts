import { isScimPath } from '#http/authentication.ts'
import { directoryKey, logRefusal, originOf, requireWorkBudget } from '#http/caller.ts'
import type { Services } from '#http/endpoint.ts'
import type { BufferedResponse, HttpRequest, HttpResponse, ResponseHeaders } from '#http/http-types.ts'
import type { RateRule } from '#http/rate-limits.ts'
import { NO_STORE } from '#http/refusals.ts'
import { Refusal, rateLimitHit } from '#lib/errors.ts'
import { mustBeOwner } from '#people/access.ts'
import { findScimToken, isUseDue, saveScimTokenUse } from '#people/scim-tokens.ts'
import { findActiveOwners, findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { isActiveOwner } from '#rules/role.ts'
import { type RunTransaction, type Transaction, withOrigin } from '#storage/storage.ts'
import { findDocument, serviceProviderConfig } from './scim/discovery.ts'
import {
  invalidSyntax,
  methodNotAllowed,
  noSuchPath,
  notSupported,
  SCIM_TYPE,
  scimErrorResponse,
  wrongMediaType,
} from './scim/errors.ts'
import { Comparisons } from './scim/filter.ts'
import {
  changeScimGroup,
  countMembers,
  createScimGroup,
  deleteScimGroup,
  GROUP_ATTRIBUTES,
  getGroup,
  listScimGroups,
  lockScimGroup,
} from './scim/groups.ts'
import { applyChanges, type Change, countComparisons, readChanges } from './scim/patch.ts'
import { type Json, project, type Query, readQuery } from './scim/resources.ts'
import {
  changeScimUser,
  createScimUser,
  deleteScimUser,
  getUser,
  listUsers,
  requireScimUser,
  type ScimContext,
  USER_ATTRIBUTES,
} from './scim/users.ts'

// SCIM 2.0 (RFC 7643, RFC 7644) below /scim/v2: a directory such as Microsoft Entra ID or Okta creates, changes and
// deactivates accounts, and manages user groups. A request needs the token of the organization at its host; its limits
// come before its work. It has the rights of an owner, and each change is one transaction. Errors have SCIM's own shape.

const ROOT = '/scim/v2'

/** The limit of requests of a directory. Microsoft Entra ID asks for 25 a second. */
const REQUESTS: readonly RateRule[] = [[60, 3000]]

/** The numbers of characters of a response, and of comparisons, that cost one unit of work; and the work of a filter. */
const LENGTH_PER_UNIT = 16_384
const COMPARISONS_PER_UNIT = 10_000
const FILTER_UNITS = 5

/** The bytes of a body for which it is counted as one value in comparisons. */
const BYTES_PER_VALUE = 32

type ScimCall = ScimContext & {
  readonly request: HttpRequest
  /** Runs transactions that name the directory as their origin. */
  readonly transaction: RunTransaction
  readonly headers: ResponseHeaders
  readonly query: Query
}

/** Returns the pages of SCIM. */
export function scimPages(services: Services): (request: HttpRequest) => Promise<HttpResponse> | null {
  return (request) => (isScimPath(request.path) ? respond(services, request) : null)
}

async function respond(services: Services, request: HttpRequest): Promise<BufferedResponse> {
  const headers: ResponseHeaders = { ...NO_STORE }
  try {
    const realm = await services.authentication.requireDirectory(request)
    requireWithinLimits(services, realm, headers)
    return await answer(services, request, realm, headers)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await logRefusal(services, request, error)
    return scimErrorResponse(error, headers)
  }
}

/** Handles the request, and charges its work, even if it is refused. */
async function answer(
  services: Services,
  request: HttpRequest,
  realm: Realm,
  headers: ResponseHeaders,
): Promise<BufferedResponse> {
  const { db, clock, settings, workBudget } = services
  const comparisons = new Comparisons()
  let units = 1
  try {
    const url = realmAddress(realm.subdomain, settings.EXTERNAL_URL).url + ROOT
    const actor = await requireActingOwner(services, realm)
    const query = readQuery(request.query)
    if (query.filter !== null) units += FILTER_UNITS
    const origin = { ...originOf(services, request, null), by: 'directory', client: 'SCIM' } as const
    const transaction = withOrigin(services.transaction, origin)
    const call = { request, transaction, headers, url, actor, db, now: clock.now(), query, comparisons }
    const response = await handle(call)
    units += String(response.body).length / LENGTH_PER_UNIT
    return response
  } finally {
    units += comparisons.count / COMPARISONS_PER_UNIT
    workBudget.charge(directoryKey(realm.id), units, settings.RATE_LIMITING_WORK, clock.now())
  }
}

function requireWithinLimits(services: Services, realm: Realm, headers: ResponseHeaders): void {
  const { settings, rateLimiter, clock } = services
  if (!settings.RATE_LIMITING) return
  const key = directoryKey(realm.id)
  requireWorkBudget(services, key, headers)
  const verdict = rateLimiter.take(key, REQUESTS, clock.now())
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/**
 * Returns the owner in whose name the directory acts: the one who made the token, or the one who has been there longest
 * if that one is no longer an owner. Saves the use of the token.
 */
async function requireActingOwner({ db, transaction, clock }: Services, realm: Realm): Promise<Actor> {
  const token = await findScimToken(db, realm.id)
  if (token !== null && isUseDue(token, clock.now())) await transaction((tx) => saveScimTokenUse(tx, realm.id))
  const creator = token?.creatorId == null ? null : await findUser(db, token.creatorId)
  const isOwner =
    creator !== null && isActiveOwner({ ...creator, isBot: false, isActive: creator.deactivatedAt === null })
  const owner = isOwner ? creator : (await findActiveOwners(db, realm.id))[0]
  if (owner === undefined) throw mustBeOwner()
  return { ...owner, realm }
}

async function handle(call: ScimCall): Promise<BufferedResponse> {
  const [kind = '', id, ...rest] = call.request.path
    .slice(ROOT.length + 1)
    .split('/')
    .map(decode)
  if (rest.length > 0) throw noSuchPath()
  const { method } = call.request
  switch (kind.toLowerCase()) {
    case 'users':
      return handleResource(call, id, users)
    case 'groups':
      return handleResource(call, id, groups)
    case 'serviceproviderconfig':
      requireReading(method)
      return json(call, serviceProviderConfig(call.url))
    case 'schemas':
    case 'resourcetypes':
      requireReading(method)
      return json(call, findDocument(call.url, kind.toLowerCase() === 'schemas' ? 'Schemas' : 'ResourceTypes', id))
    case 'bulk':
    case 'me':
    case '.search':
      throw notSupported()
    default:
      throw noSuchPath()
  }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function requireReading(method: string): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
}

/** The operations on a kind of resource. Creating, changing and deleting run in a transaction. */
type Resource = {
  /** The names of the attributes that can be changed. */
  readonly attributes: readonly string[]
  /** Returns the number of values that changes may compare, besides those of their body. */
  countValues(call: ScimCall, id: string): Promise<number>
  list(call: ScimCall): Promise<Json>
  get(call: ScimCall, id: string): Promise<Json>
  /** Returns the id of the new resource. */
  create(tx: Transaction, call: ScimCall, given: Json): Promise<string>
  /** Changes the resource to what `change` makes of it. */
  change(
    tx: Transaction,
    call: ScimCall,
    id: string,
    change: { given: Json } | { changes: readonly Change[] },
  ): Promise<void>
  delete(tx: Transaction, call: ScimCall, id: string): Promise<void>
}

const users: Resource = {
  attributes: USER_ATTRIBUTES,
  countValues: async () => 0,
  list: (call) => listUsers(call, call.query),
  get: getUser,
  create: createScimUser,
  async change(tx, call, id, change) {
    const context = { ...call, db: tx.db }
    const user = await requireScimUser(context, id)
    if ('given' in change) return changeScimUser(tx, call.actor, user, change.given, { isChange: false })
    const draft = applyChanges(await getUser(context, id), change.changes)
    return changeScimUser(tx, call.actor, user, draft, { isChange: true })
  },
  delete: async (tx, call, id) => deleteScimUser(tx, call.actor, await requireScimUser({ ...call, db: tx.db }, id)),
}

const groups: Resource = {
  attributes: GROUP_ATTRIBUTES,
  countValues: countMembers,
  list: (call) => listScimGroups(call, call.query),
  get: (call, id) => getGroup(call, id, call.query),
  create: createScimGroup,
  async change(tx, call, id, change) {
    const group = await lockScimGroup(tx, call.actor, id)
    if ('given' in change) await changeScimGroup(tx, call.actor, group, change.given, { isChange: false })
    else {
      const current = await getGroup({ ...call, db: tx.db }, id, readQuery(new Map()))
      const draft = applyChanges(current, change.changes)
      await changeScimGroup(tx, call.actor, group, draft, { isChange: true })
    }
  },
  delete: (tx, call, id) => deleteScimGroup(tx, call.actor, id),
}

async function handleResource(call: ScimCall, id: string | undefined, resource: Resource): Promise<BufferedResponse> {
  const { request, transaction } = call
  const { method } = request
  if (id === undefined || id === '') {
    if (method === 'GET' || method === 'HEAD') return json(call, await resource.list(call))
    if (method !== 'POST') throw methodNotAllowed()
    const given = readBody(request)
    const created = await transaction((tx) => resource.create(tx, call, given))
    return json(call, await resource.get(call, created), 201)
  }
  if (id === '.search') throw notSupported()
  switch (method) {
    case 'GET':
    case 'HEAD':
      break
    case 'PUT':
    case 'PATCH': {
      const body = readBody(request)
      const change = method === 'PUT' ? { given: body } : await readPatch(call, id, resource, body)
      await transaction((tx) => resource.change(tx, call, id, change))
      break
    }
    case 'DELETE':
      await transaction((tx) => resource.delete(tx, call, id))
      return { status: 204, headers: call.headers, body: '' }
    default:
      throw methodNotAllowed()
  }
  return json(call, await resource.get(call, id))
}

/** Returns the changes of a body. Refuses them before the transaction if they are too much work. */
async function readPatch(call: ScimCall, id: string, resource: Resource, body: Json): Promise<{ changes: Change[] }> {
  const changes = readChanges(body, resource.attributes)
  const given = Math.ceil(call.request.rawBody.length / BYTES_PER_VALUE)
  call.comparisons.add(countComparisons(changes, { members: await resource.countValues(call, id), given }))
  return { changes }
}

function readBody({ headers, rawBody }: HttpRequest): Json {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== SCIM_TYPE && type !== 'application/json') throw wrongMediaType()
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody))
  } catch {
    throw invalidSyntax({ complaint: 'it is not JSON' })
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidSyntax({ complaint: 'it is not an object' })
  return body as Json
}

function json({ headers, query }: ScimCall, resource: Json, status = 200): BufferedResponse {
  const { meta } = resource
  const location = typeof meta === 'object' && meta !== null && 'location' in meta ? String(meta.location) : null
  if (location !== null) headers['location'] = location
  const isList = 'Resources' in resource
  const body = JSON.stringify(isList ? resource : project(resource, query))
  return { status, headers: { ...headers, 'content-type': SCIM_TYPE }, body }
}
