import type { Settings } from '#config.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { httpsNeeded, wireRefusalResponse } from '#http/refusals.ts'
import type { Certificates } from './certificates.ts'

// The answers on HTTP_PORT, beside https. The certificate authority gets the proof that this server has the host. Browsers
// are sent to https once the host has a certificate, and never to a host that a visitor made up. Everything else is
// refused: a client that sends keys or messages without encryption should fail.

const CHALLENGES = '/.well-known/acme-challenge/'

/** Paths of the programs that send keys. */
const OF_PROGRAMS = /^\/(api|json|scim)(\/|$)/

/** A host name that can be in a redirect. */
const HOST_NAME = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)*$/

/** Returns the function that answers requests on HTTP_PORT. */
export function plainHttpAnswers(
  settings: Settings,
  certificates: Pick<Certificates, 'findChallenge' | 'has'>,
): (request: HttpRequest) => HttpResponse {
  const isAuto = settings.HTTPS === 'auto'
  return ({ method, path, rawQuery, host }) => {
    const { hostname, port } = new URL(settings.EXTERNAL_URL)
    const named = host.replace(/:\d*$/, '')
    if (path.startsWith(CHALLENGES)) {
      const answer = certificates.findChallenge(named, path.slice(CHALLENGES.length))
      return answer === null ? text(404, 'Not found\n') : text(200, answer)
    }
    if ((method !== 'GET' && method !== 'HEAD') || OF_PROGRAMS.test(path)) return wireRefusalResponse(httpsNeeded())
    // No order adds a host to the certificate of the operator.
    const asked = HOST_NAME.test(named) && (isAuto || certificates.has(named)) ? named : hostname
    if (isAuto && !certificates.has(asked))
      return text(
        503,
        `There is no certificate for ${asked} yet. If this is the address of an organization, the server is asking for one.\n` +
          'Try again in a minute. If this does not help, the log of the server has the reason.\n',
        { 'retry-after': '60' },
      )
    const location = `https://${asked}${port === '' ? '' : `:${port}`}${path}${rawQuery === '' ? '' : `?${rawQuery}`}`
    return text(301, `${location}\n`, { location })
  }
}

const text = (status: number, body: string, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body,
})
