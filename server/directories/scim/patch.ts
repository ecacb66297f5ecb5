import { invalidPath, invalidSyntax, invalidValue, noTarget, readOnly } from './errors.ts'
import { attributeOf, keyOf, matchesFilter, parseTargetPath, type TargetPath } from './filter.ts'
import type { Json } from './resources.ts'

// Changes of a resource by a list of operations (RFC 7644, section 3.5.2), applied to its JSON; saving the result checks
// it. Directories are taken as they are: names of operations in any case, `True` as text, changes of attributes that this
// server does not have (they change nothing), and a list of the values to remove beside their path.

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** The maximum number of operations in a request. */
const MAX_OPERATIONS = 1000

const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'groups'])

type Operation = { op: 'add' | 'replace' | 'remove'; path: string | null; value: unknown }

/** Returns the operations of a body, or refuses it. */
export function readOperations(body: Json): Operation[] {
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

/** Returns the resource after the operations. `attributes` are the names of those that can be changed. */
export function applyOperations(resource: Json, operations: readonly Operation[], attributes: readonly string[]): Json {
  const changed = structuredClone(resource)
  const target = { changed, attributes }
  for (const { op, path, value } of operations) {
    if (path !== null) applyTo(target, op, path, value)
    else if (op === 'remove') throw noTarget({ path: '' })
    else if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalidValue({ attribute: 'value' })
    // Without a path, the value has the attributes. Some directories write whole paths as their names.
    else for (const [name, part] of Object.entries(value)) if (!isReadOnly(name)) applyTo(target, op, name, part)
  }
  return changed
}

const isReadOnly = (name: string) => READ_ONLY.has(name.toLowerCase())

type Target = { changed: Json; attributes: readonly string[] }

function applyTo({ changed, attributes }: Target, op: Operation['op'], text: string, value: unknown): void {
  const path = parseTargetPath(text)
  if (isReadOnly(path.name)) throw readOnly({ path: path.name })
  const name = attributes.find((one) => one.toLowerCase() === path.name.toLowerCase())
  if (name === undefined) return
  const key = keyOf(changed, name) ?? name
  const current = changed[key]
  if (Array.isArray(current)) changed[key] = changedList(current, op, path, value)
  else if (path.filter !== null) throw noTarget({ path: text })
  else if (path.sub !== null) changed[key] = withPart(current, path.sub, op === 'remove' ? undefined : value)
  else if (op === 'remove') delete changed[key]
  else changed[key] = isPlain(current) && isPlain(value) ? { ...current, ...renamed(current, value) } : value
}

const isPlain = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the parts with the names that they have in `current`, whose case may differ. */
const renamed = (current: Json, parts: Json): Json =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [keyOf(current, name) ?? name, value]))

function withPart(current: unknown, sub: string, value: unknown): Json {
  const parts = isPlain(current) ? { ...current } : {}
  const key = keyOf(parts, sub) ?? sub
  if (value === undefined) delete parts[key]
  else parts[key] = value
  return parts
}

function changedList(current: readonly unknown[], op: Operation['op'], path: TargetPath, value: unknown): unknown[] {
  const { filter } = path
  if (filter !== null) {
    const isTarget = (item: unknown) => matchesFilter(item, filter)
    if (op === 'remove') return current.filter((item) => !isTarget(item))
    if (!current.some(isTarget)) throw noTarget({ path: path.name })
    const replace = (item: unknown) => (path.sub === null ? value : withPart(item, path.sub, value))
    return current.map((item) => (isTarget(item) ? replace(item) : item))
  }
  const given = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]
  if (op === 'replace') return given
  if (op === 'add') return [...current, ...given]
  // A list beside the path names the values to remove.
  if (value === undefined || value === null) return []
  const removed = new Set(given.map(idOf))
  return current.filter((item) => !removed.has(idOf(item)))
}

/** Returns the id in a value such as `{ "value": "2" }`, or at the end of the address in `{ "$ref": "…/Users/2" }`. */
export function idOf(item: unknown): string {
  if (!isPlain(item)) return String(item)
  const address = attributeOf(item, '$ref')
  return String(attributeOf(item, 'value') ?? (typeof address === 'string' ? address.split('/').at(-1) : undefined))
}
