import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { type FileContext, readSecret } from './fields.ts'

// The declaration of a program of the operator that signs people in with JSON Web Tokens. Each has a key and algorithms
// that fit it, so that a token cannot choose how it is verified.

/** The algorithms by the kind of their key. */
const algorithms = {
  secret: ['HS256', 'HS384', 'HS512'],
  rsa: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ec: ['ES256', 'ES384'],
  ed25519: ['EdDSA'],
} as const

const CURVES: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1' }

/** The minimum length of keys: of secrets in bytes, and of RSA in bits (RFC 7518). */
const [MIN_SECRET, MIN_MODULUS] = [32, 2048]

const origin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be an origin, such as https://example.com',
  )

export const jwtDeclaration = z.strictObject({
  organization: z
    .string()
    .max(100)
    .describe('The subdomain of the organization; the root organization is the empty string.'),
  key: z.string().min(1).max(10_000).optional().describe('The shared secret, or the public key in PEM format.'),
  key_env: z.string().min(1).optional().describe('The environment variable that contains the key.'),
  algorithms: z
    .array(z.enum(Object.values(algorithms).flat()))
    .min(1)
    .describe('The algorithms that tokens may have. All of them must fit the key.'),
  issuer: z.string().min(1).max(1000).optional().describe('The claim `iss` that tokens must have.'),
  audience: z.string().min(1).max(1000).optional().describe('The claim `aud` that tokens must have.'),
  origins: z
    .array(origin)
    .max(20)
    .default([])
    .describe('The origins of pages that sign people in directly. In forms of other pages, people confirm it.'),
  create_accounts: z
    .boolean()
    .default(true)
    .describe('False if new people must not join. Otherwise, they join under the rules of the organization.'),
})

/** A key that verifies tokens of one organization. */
export type JwtSettings = Pick<z.infer<typeof jwtDeclaration>, 'organization' | 'issuer' | 'audience' | 'origins'> & {
  key: KeyObject
  algorithms: readonly string[]
  createsAccounts: boolean
}

/** Returns the keys as they are declared, without those about which it complains. */
export function resolveJwt(declared: readonly z.infer<typeof jwtDeclaration>[], context: FileContext): JwtSettings[] {
  const uses: { key: string; organization: string; audience: string | undefined }[] = []
  return declared.flatMap((one, at) => {
    const id = `jwt.${at}`
    const text = readSecret(context, { id, field: 'key', value: one.key, variable: one.key_env })
    if (text === '') return []
    const key = readKey(text)
    const problem = key === null ? 'the key must be a public key or a secret' : findMisfit(key, one.algorithms)
    if (problem !== null) context.complain(`${id}: ${problem}`)
    if (key === null || problem !== null) return []
    const { organization, issuer, audience, origins } = one
    // A token for one organization must not sign in to another.
    const use = { key: exported(key), organization, audience }
    const isShared = uses.some(
      (other) =>
        other.key === use.key &&
        other.organization !== organization &&
        (audience === undefined || other.audience === undefined || other.audience === audience),
    )
    if (isShared) context.complain(`${id}: the key of another organization needs an audience of its own`)
    uses.push(use)
    const settings = { organization, issuer, audience, origins, algorithms: one.algorithms }
    return [{ ...settings, key, createsAccounts: one.create_accounts }]
  })
}

const exported = (key: KeyObject): string =>
  (key.type === 'secret' ? key.export() : key.export({ type: 'spki', format: 'der' })).toString('base64')

/** Returns the key in the text; null for private keys and broken ones. */
function readKey(text: string): KeyObject | null {
  if (!text.includes('-----BEGIN')) return createSecretKey(Buffer.from(text))
  if (text.includes('PRIVATE KEY')) return null
  try {
    return createPublicKey(text)
  } catch {
    return null
  }
}

/** Returns why an algorithm cannot use the key; null if all can. */
function findMisfit(key: KeyObject, given: readonly string[]): string | null {
  const kind = key.type === 'secret' ? 'secret' : key.asymmetricKeyType
  const fitting: readonly string[] = Object.entries(algorithms).find(([name]) => name === kind)?.[1] ?? []
  const { modulusLength = MIN_MODULUS, namedCurve } = key.asymmetricKeyDetails ?? {}
  const misfit = given.find(
    (algorithm) => !fitting.includes(algorithm) || (kind === 'ec' && CURVES[algorithm] !== namedCurve),
  )
  if (misfit !== undefined) return `the algorithm ${misfit} does not fit the key`
  if (kind === 'secret' && (key.symmetricKeySize ?? 0) < MIN_SECRET)
    return `the secret must have at least ${MIN_SECRET} bytes`
  return modulusLength < MIN_MODULUS ? `the RSA key must have at least ${MIN_MODULUS} bits` : null
}
