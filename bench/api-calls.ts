import { Agent, request } from 'node:http'

export type Account = { email: string; api_key: string }
export type Response = { status: number; text: string }

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Sends a request to a server on this machine and returns the complete response. */
function call(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers }, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const authorization = ({ email, api_key }: Account): string =>
  `Basic ${Buffer.from(`${email}:${api_key}`).toString('base64')}`

/** Returns a function that calls the API of the server at the port. */
export const apiCalls =
  (port: number) =>
  (
    account: Account,
    method: string,
    endpoint: string,
    form: Record<string, string | number> = {},
  ): Promise<Response> => {
    const body = new URLSearchParams(Object.entries(form).map(([name, value]) => [name, String(value)])).toString()
    const isQuery = method === 'GET'
    const headers = { authorization: authorization(account), 'content-type': 'application/x-www-form-urlencoded' }
    return call(port, method, `/api/v1${endpoint}${isQuery ? `?${body}` : ''}`, headers, isQuery ? '' : body)
  }
