import type { AuthMethod } from './api-path.ts'
import type { HttpRequest } from './wire/http-types.ts'

const MAX_LENGTH = 30

/** What browsers are called, whichever they are. */
const BROWSER = 'website'

/** The calling program: what it says in `client`, else the product name of its User-Agent; at most 30 characters. */
export function clientName(
  { body, query, headers }: Pick<HttpRequest, 'body' | 'query' | 'headers'>,
  proof: AuthMethod,
): string {
  const named = body.get('client') ?? query.get('client')
  if (named !== undefined && named !== '') return firstCharacters(named)
  if (proof === 'session') return BROWSER
  const agent = headers['user-agent']
  return agent === undefined ? 'Unspecified' : productName(agent)
}

const remembered = new Map<string, string>()

function productName(agent: string): string {
  const known = remembered.get(agent)
  if (known !== undefined) return known
  const name = firstCharacters(/^[^/0-9(]*/.exec(agent)?.[0].trim() ?? '') || 'Unspecified'
  if (remembered.size >= 1000) remembered.clear()
  remembered.set(agent, name)
  return name
}

const firstCharacters = (text: string) => Array.from(text).slice(0, MAX_LENGTH).join('')
