import { createPrivateKey, sign, verify, X509Certificate } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import { SECONDS_PER_DAY } from '#lib/clock.ts'

// Pairs of a certificate and its key, and the pairs that are in use. A pair is checked before it is used: a certificate
// that cannot be read, or a key of another certificate, is never served.

/** A certificate chain and its key, in PEM format. */
export type Pair = { readonly cert: string; readonly key: string }

/** A pair that can be used. `begins` and `ends` are the UNIX times between which the certificate is valid. */
export type CheckedPair = {
  readonly pair: Pair
  readonly begins: number
  readonly ends: number
  /** The host names in the certificate, as it lists them. */
  readonly names: string
  /** Returns whether browsers accept the certificate for a host name. */
  isFor(host: string): boolean
  context(): SecureContext
}

const TEXT = Buffer.from('parley')

/** Checks a pair. Throws an `Error` with the reason if the pair cannot be used. */
export function checkPair(pair: Pair): CheckedPair {
  const certificate = parse('certificate', () => new X509Certificate(pair.cert))
  const key = parse('key', () => createPrivateKey(pair.key))
  // A damaged key may still name the right public key.
  const proof = parse('key', () => sign(null, TEXT, key))
  if (!certificate.checkPrivateKey(key) || !verify(null, TEXT, certificate.publicKey, proof))
    throw new Error('the key is not that of the certificate')
  let context: SecureContext | undefined
  const createContext = () =>
    process.getBuiltinModule('node:tls').createSecureContext({ ...pair, minVersion: 'TLSv1.2' })
  return {
    pair,
    begins: certificate.validFromDate.getTime() / 1000,
    ends: certificate.validToDate.getTime() / 1000,
    names: (certificate.subjectAltName ?? '').replaceAll('DNS:', ''),
    isFor: (host) => certificate.checkHost(host, { subject: 'never' }) !== undefined,
    context: () => (context ??= createContext()),
  }
}

function parse<Value>(part: string, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    throw new Error(`the ${part} is not in PEM format, or damaged`, { cause })
  }
}

/** The days before its end from which a certificate is reported. Certificates with a short life have a sixth of it. */
const WARNING_DAYS = 14

/** Returns the UNIX time from which the operator is warned that the certificate ends. */
export const warnsFrom = ({ begins, ends }: CheckedPair): number =>
  ends - Math.min(WARNING_DAYS * SECONDS_PER_DAY, (ends - begins) / 6)

/** The pairs that are in use, by host. `onlyHost` is null if one pair serves all hosts. */
export class ServedPairs {
  readonly #pairs = new Map<string, CheckedPair>()
  readonly #listeners: (() => void)[] = []
  readonly #isForHosts: boolean

  constructor(mainHost: string | null) {
    this.#isForHosts = mainHost !== null
  }

  find(host: string): CheckedPair | null {
    return this.#pairs.get(this.#isForHosts ? host : '') ?? null
  }

  set(host: string, pair: CheckedPair): void {
    this.#pairs.set(this.#isForHosts ? host : '', pair)
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }
}
