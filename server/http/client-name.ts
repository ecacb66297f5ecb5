import type { AuthMethod } from './api-path.ts'
import type { HttpRequest } from './wire/http-types.ts'

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
