import type { Fields } from '#http/http-types.ts'
import { type AttributePath, attributeOf, type Filter, parseFilter, toAttributePath } from './filter.ts'

// The parts that users and groups share: the JSON of a resource, the attributes that a request wants of it, and pages of
// lists (RFC 7644, sections 3.4.2 and 3.9).

export type Json = Record<string, unknown>

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** The number of resources on a page, and the most that a request can ask for. */
const DEFAULT_COUNT = 100
export const MAX_COUNT = 1000

/** The resources that a request asks for, and the attributes of them. */
export type Query = {
  readonly filter: Filter | null
  readonly startIndex: number
  readonly count: number
  /** Null for all attributes. */
  readonly attributes: readonly AttributePath[] | null
  readonly excluded: readonly AttributePath[]
}

export function readQuery(fields: Fields): Query {
  const get = (name: string) => [...fields].find(([key]) => key.toLowerCase() === name)?.[1]
  const attributes = readNames(get('attributes'))
  const filter = get('filter')
  return {
    filter: filter === undefined || filter.trim() === '' ? null : parseFilter(filter),
    startIndex: Math.max(1, readInteger(get('startindex'), 1)),
    count: Math.min(MAX_COUNT, Math.max(0, readInteger(get('count'), DEFAULT_COUNT))),
    attributes: attributes.length === 0 ? null : attributes,
    excluded: readNames(get('excludedattributes')),
  }
}

const readNames = (text = ''): AttributePath[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map(toAttributePath)

const readInteger = (text: string | undefined, fallback: number): number =>
  text !== undefined && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : fallback

const isNamed = (key: string, paths: readonly AttributePath[]) =>
  paths.filter(({ name }) => name.toLowerCase() === key.toLowerCase())

/** Returns whether the response contains any of the attribute. */
export function isWanted({ attributes, excluded }: Query, name: string): boolean {
  if (attributes !== null) return isNamed(name, attributes).length > 0
  return !isNamed(name, excluded).some(({ sub }) => sub === null)
}

/** Returns the attributes of a resource that the request wants. The schemas and the id are always among them. */
export function project(resource: Json, { attributes, excluded }: Query): Json {
  const projected: Json = {}
  for (const [key, value] of Object.entries(resource)) {
    if (key === 'schemas' || key === 'id') projected[key] = value
    else if (attributes !== null) {
      const named = isNamed(key, attributes)
      if (named.some(({ sub }) => sub === null)) projected[key] = value
      else if (named.length > 0) projected[key] = withParts(value, (part) => named.some(({ sub }) => equal(sub, part)))
    } else {
      const named = isNamed(key, excluded)
      if (named.some(({ sub }) => sub === null)) continue
      projected[key] =
        named.length === 0 ? value : withParts(value, (part) => !named.some(({ sub }) => equal(sub, part)))
    }
  }
  return projected
}

const equal = (sub: string | null, part: string) => sub?.toLowerCase() === part.toLowerCase()

function withParts(value: unknown, isKept: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withParts(item, isKept))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([part]) => isKept(part)))
}

/** Returns the page of a list. `toJson` is called for the resources on the page only. */
export async function listPage<Item>(
  items: readonly Item[],
  query: Query,
  toJson: (items: readonly Item[]) => Promise<Json[]>,
): Promise<Json> {
  const start = query.startIndex - 1
  const resources = await toJson(items.slice(start, start + query.count))
  return toListJson(
    resources.map((resource) => project(resource, query)),
    { total: items.length, startIndex: query.startIndex },
  )
}

export const toListJson = (
  resources: readonly Json[],
  { total, startIndex }: { total: number; startIndex: number },
) => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})

/** Returns the attribute of a given resource if it is text; undefined if it is missing or null. */
export function textOf(given: unknown, name: string): string | undefined {
  const value = attributeOf(given, name)
  return typeof value === 'string' ? value : undefined
}
