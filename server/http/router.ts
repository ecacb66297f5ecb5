import type { z } from 'zod'
import type { Endpoint, Method } from './endpoint.ts'

/** The handler of a path and method. */
export type Route<Handler> = { readonly path: string; readonly method: Method; readonly handler: Handler }

/** The handlers of a path by method, and the values of its parameters. */
export type Match<Handler> = {
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
