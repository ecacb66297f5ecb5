import { hash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { PageCall } from '#http/pages.ts'
import { limitByNetwork, networkOf, type RateRule } from '#http/rate-limits.ts'
import { refusal } from '#lib/errors.ts'
import type { JwtSettings } from '#lib/sign-in-file.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { useOnce } from './pending-sign-ins.ts'

// JSON Web Tokens with which a program of the operator identifies people. A token has a signature by a key of the
// organization, with one of the algorithms that the operator has declared for it; it lives for ten minutes at most, and
// works once.

/** The method of tokens. No declared method can have this id. */
export const TOKENS = { id: 'json_web_token', issuer: 'jwt' } as const

const tokensNotEnabled = refusal('BAD_REQUEST', 400, 'JWT authentication is not enabled for this organization')
const noToken = refusal('BAD_REQUEST', 400, 'No JSON web token passed in request', { field: 'token' })
export const badToken = refusal('BAD_REQUEST', 400, 'Bad JSON web token', { field: 'token' })
const noEmailInToken = refusal('BAD_REQUEST', 400, 'No email specified in JSON web token claims', { field: 'token' })

export const tokenRefusals = [tokensNotEnabled, noToken, badToken, noEmailInToken]

/** The limits of tokens from one network, valid or not. A program may send those of many people. */
const LIMITS: readonly RateRule[] = [
  [60, 300],
  [3600, 6000],
]

/** The maximum length of a token, in characters. */
const MAX_LENGTH = 10_000

/** Seconds for which a token may be valid, and by which the clock of its program may differ. */
const [MAX_LIFETIME, TOLERANCE] = [600, 60]

/** The content of a token that was verified. `digest` identifies it. */
export type TokenProof = { email: string; name: string; digest: string; expiresAt: number; settings: JwtSettings }

type TokenCall = Pick<PageCall, 'settings' | 'clock' | 'log' | 'attempts' | 'securityLines' | 'remoteAddress'>

/** Returns what a token proves, within the limits of the network. Refuses it otherwise. Call `useToken` as well. */
export async function verifyToken(call: TokenCall, realm: Realm, token: string): Promise<TokenProof> {
  await limitByNetwork(call, 'tokens of programs', LIMITS)
  const keys = call.settings.SIGN_IN_FILE.jwt.filter(({ organization }) => organization === realm.subdomain)
  if (keys.length === 0) throw tokensNotEnabled()
  if (token === '') throw noToken()
  if (token.length > MAX_LENGTH) throw badToken()
  let problem = ''
  for (const settings of keys) {
    const claims = await findClaims(call, settings, token)
    if (typeof claims !== 'string') return toProof(claims, settings, token)
    problem = claims
  }
  logRefusedToken(call, realm, problem)
  throw badToken()
}

/** Returns the claims of a valid token, or the reason why it is not valid. */
async function findClaims({ clock }: TokenCall, settings: JwtSettings, token: string): Promise<JWTPayload | string> {
  const { key, algorithms, issuer, audience } = settings
  const now = clock.now()
  const { errors, jwtVerify } = await import('jose')
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [...algorithms],
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
      requiredClaims: ['exp'],
      currentDate: new Date(now * 1000),
      clockTolerance: TOLERANCE,
    })
    const { exp = Infinity, iat } = payload
    if (exp > now + MAX_LIFETIME + TOLERANCE || (iat !== undefined && exp - iat > MAX_LIFETIME)) return 'lifetime'
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return error.code
    throw error
  }
}

function toProof({ email, name, exp = 0 }: JWTPayload, settings: JwtSettings, token: string): TokenProof {
  if (typeof email !== 'string' || !isEmailAddress(email)) throw noEmailInToken()
  // Everything but the signature, which has several valid forms with some algorithms.
  const digest = hash('sha256', token.slice(0, token.lastIndexOf('.')))
  return { email, name: typeof name === 'string' ? name : '', digest, expiresAt: exp, settings }
}

function logRefusedToken({ log, securityLines, remoteAddress }: TokenCall, realm: Realm, problem: string): void {
  if (securityLines.take('token_refused', networkOf(remoteAddress)) === null) return
  log.warn({ realm_id: realm.id, provider: 'jwt', problem }, 'A token of another program was refused')
}

/** Uses up the token. Returns false if it was already used. */
export function useToken(
  tx: Transaction,
  realm: Pick<Realm, 'id'>,
  { digest, expiresAt }: TokenProof,
): Promise<boolean> {
  return useOnce(tx, realm.id, `token ${digest}`, expiresAt + TOLERANCE - tx.now)
}
