import type { z } from 'zod'
import type { Endpoint, Method } from './endpoint.ts'

/** An endpoint, ready to be called: one entry for each path and method. */
export type Route<Handler> = { readonly path: string; readonly method: Method; readonly handler: Handler }

/** What a path leads to: a handler for each method that it knows, and the values of its parameters. */
export type Match<Handler> = {
  readonly methods: ReadonlyMap<Method, Handler>
  readonly values: Readonly<Record<string, string>>
}

/** The methods of a path, in alphabetical order; HEAD is one wherever GET is. */
export const allowedMethods = (methods: ReadonlyMap<Method, unknown>): string[] =>
  [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : [])].toSorted()

type Pattern<Handler> = { first: string; expression: RegExp; names: readonly string[]; methods: Map<Method, Handler> }

/**
 * Finds what a path leads to. Paths without parameters go before those with numbers, and those before the rest, so
 * `/users/me` is never a user's e-mail address.
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
    if (!patterns.has(key)) patterns.set(key, { first: firstWord(path), expression, names, methods: new Map() })
    patterns.get(key)?.methods.set(method, handler)
  }
  const ordered = [...patterns.values()].toSorted((one, other) => looseness(one) - looseness(other))
  // Every path begins with a word: only the patterns that begin with the same one are tried.
  const byFirstWord = Map.groupBy(ordered, ({ first }) => first)

  return function match(path: string): Match<Handler> | null {
    const methods = exact.get(path)
    if (methods !== undefined) return { methods, values: {} }
    for (const pattern of byFirstWord.get(firstWord(path)) ?? []) {
      const found = pattern.expression.exec(path)
      if (found === null) continue
      const values: Record<string, string> = {}
      for (const [at, name] of pattern.names.entries()) values[name] = decodeSegment(found[at + 1] ?? '')
      return { methods: pattern.methods, values }
    }
    return null
  }
}

const restsOfPaths = new WeakSet<z.ZodType>()

/** Makes a path parameter, which must be the last, take the rest of the path, slashes included. */
export function restOfPath<Type extends z.ZodType>(type: Type): Type {
  restsOfPaths.add(type)
  return type
}

function patternOf(path: string, types: Endpoint['pathTypes']): { expression: RegExp; names: string[] } {
  const names: string[] = []
  const source = path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, (_, name) => {
    names.push(name)
    if (!Object.hasOwn(types, name)) return '([0-9]+)'
    return restsOfPaths.has(types[name] as z.ZodType) ? '(.+)' : '([^/]+)'
  })
  return { expression: new RegExp(`^${source}$`), names }
}

/** What stands between the first slash and the second. */
function firstWord(path: string): string {
  const end = path.indexOf('/', 1)
  return end === -1 ? path : path.slice(0, end)
}

/** A parameter that takes the rest of the path, slashes included, is looser than any number of others. */
const looseness = ({ expression: { source } }: Pattern<unknown>) =>
  source.split('([^/]+)').length + (source.endsWith('(.+)$') ? 100 : 0)

/** Percent-decoded as far as possible: what is no valid UTF-8 stays as it was written. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
