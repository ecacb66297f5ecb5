import type { HttpRequest } from '../http-types.ts'

/** The authentication method of a caller: an API key for programs, a session for browsers. */
export type AuthMethod = 'key' | 'session'

const PREFIXES: readonly (readonly [AuthMethod, string])[] = [
  ['key', '/api/v1'],
  ['session', '/json'],
]

/** Returns the routes of an endpoint, one for each prefix of the API. */
export const routesUnder = (method: string, path: string): string[] =>
  PREFIXES.map(([, prefix]) => `${method} ${prefix}${path}`)

/** Returns the path of the endpoint and the authentication method of a request; null outside the API. */
export function readApiPath(path: string): { authMethod: AuthMethod; path: string } | null {
  for (const [authMethod, prefix] of PREFIXES)
    if (path.startsWith(prefix) && (authMethod === 'key' || path.charAt(prefix.length) === '/'))
      return { authMethod, path: path.slice(prefix.length) }
  return null
}

const MAX_LENGTH = 30

/** The client name of all browsers. */
const BROWSER = 'website'

/**
 * Returns the name of the calling program, at most 30 characters: the parameter `client`, or the product of its
 * User-Agent.
 */
export function clientName(
  { body, query, headers }: Pick<HttpRequest, 'body' | 'query' | 'headers'>,
  authMethod: AuthMethod,
): string {
  const named = body.get('client') ?? query.get('client')
  if (named !== undefined && named !== '') return firstCharacters(named)
  if (authMethod === 'session') return BROWSER
  const agent = headers['user-agent']
  return agent === undefined ? 'Unspecified' : productName(agent)
}

const cachedNames = new Map<string, string>()

function productName(agent: string): string {
  const known = cachedNames.get(agent)
  if (known !== undefined) return known
  const name = firstCharacters(/^[^/0-9(]*/.exec(agent)?.[0].trim() ?? '') || 'Unspecified'
  if (cachedNames.size >= 1000) cachedNames.clear()
  cachedNames.set(agent, name)
  return name
}

const firstCharacters = (text: string) => Array.from(text).slice(0, MAX_LENGTH).join('')
