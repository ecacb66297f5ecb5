import { invalidPath, invalidSyntax, invalidValue, noTarget, readOnly } from './errors.ts'
import { attributeOf, countTerms, keyOf, matchesFilter, parseTargetPath, type TargetPath } from './filter.ts'
import type { Json } from './resources.ts'

// Changes of a resource by a list of operations (RFC 7644, section 3.5.2), applied to its JSON; saving the result checks
// it. Directories are taken as they are: names of operations in any case, `True` as text, changes of attributes that this
// server does not have (they change nothing), and a list of the values to remove beside their path.

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** The maximum number of operations in a request. */
const MAX_OPERATIONS = 1000

const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'groups'])

type Operation = { op: 'add' | 'replace' | 'remove'; path: string | null; value: unknown }

/** An operation on one attribute, or several in a row that remove values of the same one. */
export type Change = {
  readonly op: Operation['op']
  /** The name of the attribute, as it is in resources. */
  readonly name: string
  readonly path: TargetPath
  readonly value: unknown
  /** The ids of the values that it removes; null if it does something else, or finds them by another filter. */
  readonly removedIds: Set<string> | null
}

/** Returns the changes of a body, or refuses it. `attributes` are the names of those that can be changed. */
export function readChanges(body: Json, attributes: readonly string[]): Change[] {
  const changes: Change[] = []
  const parts = readOperations(body).flatMap(partsOf)
  if (parts.length > MAX_OPERATIONS) throw invalidSyntax({ complaint: `it has more than ${MAX_OPERATIONS} operations` })
  for (const { op, text, value } of parts) {
    const path = parseTargetPath(text)
    if (isReadOnly(path.name)) throw readOnly({ path: path.name })
    const name = attributes.find((one) => one.toLowerCase() === path.name.toLowerCase())
    if (name === undefined) continue
    const change = { op, name, path, value, removedIds: op === 'remove' ? removedIdsOf(path, value) : null }
    const last = changes.at(-1)
    if (last !== undefined && canJoin(last, change)) for (const id of change.removedIds ?? []) last.removedIds?.add(id)
    else changes.push(change)
  }
  return changes
}

const canJoin = (one: Change, other: Change) =>
  one.removedIds !== null &&
  other.removedIds !== null &&
  one.name === other.name &&
  [one, other].every(({ path: { filter, sub } }) => sub === null && (filter === null) === (one.path.filter === null))

/** Returns the ids in a list beside the path, or in a filter such as `value eq "2"`. */
function removedIdsOf({ filter }: TargetPath, value: unknown): Set<string> | null {
  if (filter === null) return value === undefined || value === null ? null : new Set(toList(value).map(removalKey))
  if (filter.kind !== 'compare' || filter.by !== 'eq' || typeof filter.value !== 'string') return null
  const isId = filter.path.name.toLowerCase() === 'value' && filter.path.sub === null
  return isId ? new Set([removalKey(filter.value)]) : null
}

const removalKey = (item: unknown) => idOf(item).toLowerCase()

const toList = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]

/**
 * Returns the most values that the changes compare or copy, for a resource with `members` and a body that can add
 * `given` values.
 */
export function countComparisons(changes: readonly Change[], { members, given }: Record<'members' | 'given', number>) {
  return changes.reduce((sum, { name, op, path, removedIds }) => {
    const terms = path.filter === null || removedIds !== null ? 1 : countTerms(path.filter)
    if (name !== 'members') return sum + given * terms
    const looksAtMembers = path.filter !== null || op === 'remove'
    return looksAtMembers ? sum + (members + given) * terms : sum
  }, 0)
}

/** Returns the operations of a body, or refuses it. */
function readOperations(body: Json): Operation[] {
  const schemas = attributeOf(body, 'schemas')
  if (Array.isArray(schemas) && !schemas.some((name) => String(name).toLowerCase() === PATCH_SCHEMA.toLowerCase()))
    throw invalidSyntax({ complaint: `its schemas do not contain ${PATCH_SCHEMA}` })
  const operations = attributeOf(body, 'operations')
  if (!Array.isArray(operations) || operations.length === 0) throw invalidSyntax({ complaint: 'it has no Operations' })
  if (operations.length > MAX_OPERATIONS)
    throw invalidSyntax({ complaint: `it has more than ${MAX_OPERATIONS} operations` })
  return operations.map((given: unknown) => {
    const op = String(attributeOf(given, 'op') ?? '').toLowerCase()
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      throw invalidSyntax({ complaint: 'an operation is not add, replace or remove' })
    const path = attributeOf(given, 'path') ?? null
    if (path !== null && typeof path !== 'string') throw invalidPath({ path: 'path' })
    const value = attributeOf(given, 'value')
    if (op !== 'remove' && value === undefined) throw invalidValue({ attribute: path ?? 'value' })
    return { op, path: path?.trim() === '' ? null : path, value }
  })
}

/** Returns an operation with a path as it is, and one without a path as one for each attribute of its value. */
function partsOf({ op, path, value }: Operation) {
  if (path !== null) return [{ op, text: path, value }]
  if (op === 'remove') throw noTarget({ path: '' })
  if (!isPlain(value)) throw invalidValue({ attribute: 'value' })
  // Some directories write whole paths as names of attributes.
  const parts = Object.entries(value).map(([text, part]) => ({ op, text, value: part }))
  return parts.filter(({ text }) => !isReadOnly(text))
}

const isReadOnly = (name: string) => READ_ONLY.has(name.toLowerCase())

/** Returns the resource after the changes. */
export function applyChanges(resource: Json, changes: readonly Change[]): Json {
  const changed = structuredClone(resource)
  for (const change of changes) applyTo(changed, change)
  return changed
}

function applyTo(changed: Json, change: Change): void {
  const { op, name, path, value } = change
  const key = keyOf(changed, name) ?? name
  const current = changed[key]
  if (Array.isArray(current)) changed[key] = changedList(current, change)
  else if (path.filter !== null) throw noTarget({ path: path.name })
  else if (path.sub !== null) changed[key] = withPart(current, path.sub, op === 'remove' ? undefined : value)
  else if (op === 'remove') delete changed[key]
  else changed[key] = isPlain(current) && isPlain(value) ? { ...current, ...renamed(current, value) } : value
}

const isPlain = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the parts with the names that they have in `current`, whose case may differ. */
function renamed(current: Json, parts: Json): Json {
  const names = new Map(Object.keys(current).map((name) => [name.toLowerCase(), name]))
  return Object.fromEntries(
    Object.entries(parts).map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value]),
  )
}

function withPart(current: unknown, sub: string, value: unknown): Json {
  const parts = isPlain(current) ? { ...current } : {}
  const key = keyOf(parts, sub) ?? sub
  if (value === undefined) delete parts[key]
  else parts[key] = value
  return parts
}

/** Returns the list after the change. Values are added to the list itself, which may be long. */
function changedList(current: unknown[], { op, path, value, removedIds }: Change): unknown[] {
  if (removedIds !== null) return current.filter((item) => !removedIds.has(removalKey(item)))
  const { filter, sub } = path
  if (filter !== null) {
    const targets = new Set(current.filter((item) => matchesFilter(item, filter, null)))
    if (op === 'remove') return current.filter((item) => !targets.has(item))
    if (targets.size === 0) throw noTarget({ path: path.name })
    return current.map((item) => (targets.has(item) ? (sub === null ? value : withPart(item, sub, value)) : item))
  }
  if (op === 'remove') return []
  if (op === 'replace') return [...toList(value)]
  for (const item of toList(value)) current.push(item)
  return current
}

/** Returns the id in a value such as `{ "value": "2" }`, or at the end of the address in `{ "$ref": "…/Users/2" }`. */
export function idOf(item: unknown): string {
  if (!isPlain(item)) return String(item)
  const address = attributeOf(item, '$ref')
  return String(attributeOf(item, 'value') ?? (typeof address === 'string' ? address.split('/').at(-1) : undefined))
}
