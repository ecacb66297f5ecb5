// The reasons for which an authority issues no certificate, as the operator needs to know them.

/** A problem document (RFC 7807) of an authority, with the time in seconds after which it wants to be asked again. */
export type NotedProblem = { type: string; detail: string; status: number; retryAfter: number | null }

/** A failed order. */
export class OrderFailure extends Error {
  /** The kind of the problem: the last part of its type, or the code of a network error. */
  readonly kind: string
  readonly retryAfter: number | null
  /** True if orders for other hosts would fail as well. */
  readonly concernsAll: boolean

  constructor(kind: string, detail: string, retryAfter: number | null, concernsAll: boolean) {
    super(detail)
    this.kind = kind
    this.retryAfter = retryAfter
    this.concernsAll = concernsAll
  }
}

const PREFIX = 'urn:ietf:params:acme:error:'

/** Kinds of problems with the authority or the account. */
const OF_ALL: ReadonlySet<string> = new Set([
  ...['rateLimited', 'serverInternal', 'accountDoesNotExist', 'externalAccountRequired', 'invalidContact'],
  ...['unsupportedContact', 'userActionRequired', 'badSignatureAlgorithm'],
])

/** Returns the failure of an order that ended with this error, and perhaps with a problem document. */
export function toFailure(error: unknown, noted: NotedProblem | null): OrderFailure {
  if (error instanceof OrderFailure) return error
  if (noted !== null) {
    const named = noted.type.startsWith(PREFIX) ? noted.type.slice(PREFIX.length) : `status ${noted.status}`
    const kind = named === 'connection' && /resolv|no such host/i.test(noted.detail) ? 'dns' : named
    const concernsAll = OF_ALL.has(kind) || noted.status === 429 || noted.status >= 500
    return new OrderFailure(noted.status === 429 ? 'rateLimited' : kind, noted.detail, noted.retryAfter, concernsAll)
  }
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined && /pending or processing/.test(message))
    return new OrderFailure('pending', message, null, false)
  return new OrderFailure(code ?? 'unreachable', message, null, true)
}

/** Returns what the operator can do, as a sentence. */
export function adviceFor({ kind }: OrderFailure, host: string, directory: string): string {
  switch (kind) {
    case 'dns':
      return `DNS has no address for ${host}: create an A or AAAA record that leads to this server`
    case 'connection':
    case 'tls':
      return `The certificate authority cannot reach http://${host}/: lead port 80 of its address to HTTP_PORT of this server, and open it in firewalls`
    case 'unauthorized':
    case 'incorrectResponse':
      return `Another server answers at http://${host}/: correct the DNS records of ${host} (A and AAAA), or what else answers on port 80`
    case 'caa':
      return `The CAA records of ${host} do not allow this certificate authority: add it to them`
    case 'rejectedIdentifier':
    case 'unsupportedIdentifier':
      return `The certificate authority issues no certificates for ${host}: set HTTPS_CERT and HTTPS_KEY instead`
    case 'rateLimited':
      return 'The certificate authority limits the number of certificates. Wait; do not delete the folder certificates in DATA_DIR'
    case 'invalidContact':
    case 'unsupportedContact':
      return 'The certificate authority does not accept ACME_EMAIL: correct it'
    case 'externalAccountRequired':
    case 'userActionRequired':
      return `The certificate authority asks for an account that you make at its website, which Parley does not support: choose another ACME_DIRECTORY_URL than ${directory}`
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `The certificate of ${directory} is not trusted: if it is your own authority, name the file of its root certificate in NODE_EXTRA_CA_CERTS`
    case 'accountDoesNotExist':
      return 'The certificate authority does not know the account of this server: it gets another one'
    case 'malformed':
      return `The certificate authority does not understand the order: check that ACME_DIRECTORY_URL (${directory}) is an ACME directory, and that ${host} is a valid host name`
    case 'clock':
      return 'The clock of this machine is wrong, so that new certificates are not valid: set it, for example with NTP'
    case 'pending':
      return 'The certificate authority has not finished in time'
    default:
      return `The certificate authority at ${directory} cannot be reached or does not work: check ACME_DIRECTORY_URL, and whether this server may connect to it`
  }
}
