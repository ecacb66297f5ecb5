/** An account of the bench's organization that sends requests. */
export type BenchUser = { id: number; email: string; apiKey: string }

/**
 * Writes a request like the clients of this API: parameters in a form, or in the query of a GET; all but strings as
 * JSON.
 */
export function writeRequest(
  route: string,
  params: Record<string, unknown> = {},
  person?: BenchUser,
  headers: readonly string[] = [],
): Buffer {
  const [method, path] = route.split(' ') as [string, string]
  const form = encode(params)
  const inQuery = method === 'GET'
  const lines = [
    `${method} /api/v1${path}${inQuery && form !== '' ? `?${form}` : ''} HTTP/1.1`,
    'Host: localhost',
    'User-Agent: Bench/1.0',
    'Accept: */*',
    ...headers,
  ]
  if (person !== undefined) {
    lines.push(`Authorization: Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`)
  }
  if (!inQuery)
    lines.push('Content-Type: application/x-www-form-urlencoded', `Content-Length: ${Buffer.byteLength(form)}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${inQuery ? '' : form}`)
}

function encode(params: Record<string, unknown>): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form.toString()
}

/** Returns the requests again and again, in their order. */
export function inTurn(requests: readonly Buffer[]): () => Buffer {
  let turn = 0
  return () => requests[turn++ % requests.length] as Buffer
}
