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
