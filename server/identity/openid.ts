import type { Configuration, ServerMetadata } from 'openid-client'
import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { guardedFetch, Unreachable } from '#lib/guarded-fetch.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import { signInPresets } from '#lib/sign-in-file.ts'
import type { ExternalIdentity } from './pending-sign-ins.ts'
import type { Provider } from './providers.ts'

// Sign-in with OpenID Connect, and with GitHub, which has OAuth 2 only. The package openid-client checks every token:
// signature, issuer, audience, nonce, state and times. Keys are fetched for each sign-in, so that a provider can replace
// them at any time. Requests are limited in time and size; those to providers that owners have added never reach private
// networks. Nothing of an answer is logged but the kind of the problem.

/** A problem with a provider. `detail` is for its owner and the log; it contains neither tokens nor addresses. */
export type ProviderProblem = {
  /**
   * `unreachable`: there is no answer, or the provider has an error of its own. `cancelled`: the person stopped there.
   * `refused`: the provider does not accept this server. `invalid`: the answer is not what the protocol demands.
   */
  problem: 'unreachable' | 'cancelled' | 'refused' | 'invalid'
  detail: string
}

export type ProviderServices = { settings: Settings; clock: Clock }

/** The secrets of one sign-in. */
export type Exchange = { redirectUri: string; state: string; nonce: string; verifier: string }

/** The time limit of a request to a provider, in seconds. */
const TIME_LIMIT = 8

/** The lowest status with which a provider says that it cannot answer at the moment. */
const FIRST_SERVER_ERROR = 500

/** Seconds by which the clocks of the provider and this server may differ. */
const CLOCK_TOLERANCE = 60

/** Seconds for which a discovery document is used again. */
const DISCOVERY_LIFETIME = 300

/** The maximum number of discovery documents in memory. */
const MAX_DOCUMENTS = 200

const documents = new Map<string, { metadata: ServerMetadata; at: number }>()

/** The package is loaded with the first sign-in that needs it. */
const load = () => import('openid-client')

type Library = Awaited<ReturnType<typeof load>>

const never = new AbortController().signal

function fetchFor({ settings }: ProviderServices, { isOwners }: Provider) {
  const privateHosts = isOwners ? settings.OUTGOING_WEBHOOK_PRIVATE_HOSTS : ['*']
  return (url: string, options: { method: string; headers: Record<string, string>; body?: unknown }) =>
    guardedFetch(url, options, { timeLimit: TIME_LIMIT, privateHosts, signal: never })
}

/** Runs a step of the protocol, and returns its problem instead of throwing it. */
async function attempt<Result>(step: () => Promise<Result | ProviderProblem>): Promise<Result | ProviderProblem> {
  const { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } = await load()
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const unreachable = [error, error.cause].find((one) => one instanceof Unreachable)
    if (unreachable instanceof Unreachable) return { problem: 'unreachable', detail: unreachable.kind }
    const status = error instanceof ResponseBodyError ? error.status : statusOf(error.cause)
    if (status >= FIRST_SERVER_ERROR) return { problem: 'unreachable', detail: `status ${status}` }
    if (error instanceof AuthorizationResponseError)
      return { problem: error.error === 'access_denied' ? 'cancelled' : 'refused', detail: plain(error.error) }
    if (error instanceof ResponseBodyError) return { problem: 'refused', detail: plain(error.error) }
    if (error instanceof WWWAuthenticateChallengeError) return { problem: 'refused', detail: `status ${error.status}` }
    // Errors of the package have codes; a document that is not what it should be causes errors without one.
    return { problem: 'invalid', detail: plain(codeOf(error.cause) ?? codeOf(error) ?? error.name) }
  }
}

/** Returns the status of the response that caused an error of the package; 0 if none did. */
const statusOf = (cause: unknown) => (cause instanceof Response ? cause.status : 0)

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** Returns the part of an error code that is safe to show and to log. */
const plain = (code: string) => code.replace(/[^\w .:-]/g, '').slice(0, 80)

export const isProblem = (outcome: unknown): outcome is ProviderProblem =>
  typeof outcome === 'object' && outcome !== null && 'problem' in outcome

const githubApi = (issuer: string) =>
  issuer === signInPresets.github.issuer ? 'https://api.github.com' : `${issuer.replace(/\/+$/, '')}/api/v3`

const mayBeInsecure = ({ issuer, isOwners }: Provider) => {
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'http:' && (!isOwners || isLoopbackHost(hostname))
}

/** Returns the discovery document, from memory if it is recent. */
async function discover(library: Library, services: ProviderServices, provider: Provider): Promise<ServerMetadata> {
  if (provider.preset === 'github') {
    const base = `${provider.issuer.replace(/\/+$/, '')}/login/oauth`
    return {
      issuer: provider.issuer,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/access_token`,
    }
  }
  const now = services.clock.now()
  const key = `${provider.isOwners} ${provider.issuer}`
  const known = documents.get(key)
  if (known !== undefined && now - known.at < DISCOVERY_LIFETIME && now >= known.at) return known.metadata
  const found = await library.discovery(new URL(provider.issuer), provider.client_id, undefined, library.None(), {
    [library.customFetch]: fetchFor(services, provider),
    execute: mayBeInsecure(provider) ? [library.allowInsecureRequests] : [],
  })
  // The accessor of the package adds functions, which a new configuration gets again.
  const metadata: ServerMetadata = { ...found.serverMetadata() }
  if (documents.size >= MAX_DOCUMENTS) documents.clear()
  documents.set(key, { metadata, at: now })
  return metadata
}

async function configure(library: Library, services: ProviderServices, provider: Provider): Promise<Configuration> {
  const { clientSecret, preset } = provider
  const metadata = await discover(library, services, provider)
  const secret = preset === 'apple' ? await appleSecret(services, provider) : clientSecret
  const methods = metadata.token_endpoint_auth_methods_supported
  const usesBody = preset === 'github' || preset === 'apple' || methods?.includes('client_secret_post') === true
  const authentication = usesBody ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret)
  const client = { client_secret: secret, [library.clockTolerance]: CLOCK_TOLERANCE }
  const configuration = new library.Configuration(metadata, provider.client_id, client, authentication)
  configuration[library.customFetch] = fetchFor(services, provider)
  if (mayBeInsecure(provider)) library.allowInsecureRequests(configuration)
  // Without it, the package trusts TLS and does not check signatures of tokens that it gets directly.
  if (preset !== 'github') library.enableNonRepudiationChecks(configuration)
  return configuration
}

/** Seconds for which a client secret for Apple is valid. */
const APPLE_SECRET_LIFETIME = 300

/** Returns the client secret for Apple, which is a token signed with a key. */
async function appleSecret({ clock }: ProviderServices, provider: Provider): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose')
  const now = Math.floor(clock.now())
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: provider.key_id ?? '' })
    .setIssuer(provider.team_id ?? '')
    .setSubject(provider.client_id)
    .setAudience(provider.issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + APPLE_SECRET_LIFETIME)
    .sign(await importPKCS8(provider.clientSecret, 'ES256'))
}

/** Returns the address at the provider to which the browser goes, or the problem. */
export async function beginExchange(
  services: ProviderServices,
  provider: Provider,
  { redirectUri, state, nonce, verifier }: Exchange,
): Promise<string | ProviderProblem> {
  const library = await load()
  return attempt(async () => {
    const configuration = await configure(library, services, provider)
    const address = library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: provider.scopes ?? signInPresets[provider.preset].scopes,
      state,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(provider.preset !== 'github' && { nonce }),
      // Apple sends the name and the address only with a form.
      ...(provider.preset === 'apple' && { response_mode: 'form_post' }),
    })
    return address.href
  })
}

/** Returns who the person is, by the answer that the browser brought from the provider; or the problem. */
export async function completeExchange(
  services: ProviderServices,
  provider: Provider,
  { redirectUri, state, nonce, verifier }: Exchange,
  answer: ReadonlyMap<string, string>,
): Promise<ExternalIdentity | ProviderProblem> {
  const library = await load()
  const address = new URL(redirectUri)
  for (const [name, value] of answer) if (name !== 'user') address.searchParams.set(name, value)
  return attempt<ExternalIdentity>(async () => {
    const configuration = await configure(library, services, provider)
    if (provider.preset === 'github') {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      const { access_token: token } = await library.authorizationCodeGrant(configuration, address, checks)
      return readGithub(library, configuration, provider, token)
    }
    const tokens = await library.authorizationCodeGrant(configuration, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined) return { problem: 'invalid', detail: 'no id token' }
    const wanted = ['email', 'name', ...(provider.groups_claim === undefined ? [] : [provider.groups_claim])]
    const isComplete = wanted.every((name) => claims[name] !== undefined)
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
    const more =
      isComplete || !hasMore ? {} : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    return readClaims(provider, { ...more, ...claims }, answer.get('user'))
  })
}

const MAX_SUBJECT_LENGTH = 255
const MAX_GROUPS = 1000

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Returns the identity that the claims describe. `user` is what Apple sends beside them, the first time only. */
function readClaims(
  provider: Provider,
  claims: Readonly<Record<string, unknown>>,
  user: string | undefined,
): ExternalIdentity | ProviderProblem {
  const subject = textOf(claims['sub'])
  if (subject === null || subject.length > MAX_SUBJECT_LENGTH) return { problem: 'invalid', detail: 'no usable sub' }
  const isVerified =
    [claims['email_verified'], claims['xms_edov']].some((mark) => mark === true || mark === 'true' || mark === 1) ||
    (provider.addresses_are_verified === true && claims['email_verified'] !== false)
  const listed = provider.groups_claim === undefined ? undefined : claims[provider.groups_claim]
  const groups = typeof listed === 'string' ? [listed] : Array.isArray(listed) ? listed : null
  const parts = [claims['given_name'], claims['family_name']].map(textOf).filter((part) => part !== null)
  return {
    provider: provider.id,
    issuer: provider.issuer,
    subject,
    email: isVerified ? textOf(claims['email']) : null,
    name:
      textOf(claims['name']) ?? (parts.join(' ') || appleName(user) || (textOf(claims['preferred_username']) ?? '')),
    picture: textOf(claims['picture']),
    groups: groups?.filter((group) => typeof group === 'string').slice(0, MAX_GROUPS) ?? null,
  }
}

function appleName(user: string | undefined): string {
  try {
    const { name } = JSON.parse(user ?? '{}') as { name?: { firstName?: unknown; lastName?: unknown } }
    return [textOf(name?.firstName), textOf(name?.lastName)].filter((part) => part !== null).join(' ')
  } catch {
    return ''
  }
}

async function readGithub(
  library: Library,
  configuration: Configuration,
  provider: Provider,
  token: string,
): Promise<ExternalIdentity | ProviderProblem> {
  const api = githubApi(provider.issuer)
  const ask = async (path: string) => {
    const headers = new Headers({ accept: 'application/vnd.github+json' })
    const url = new URL(`${api}${path}`)
    const response = await library.fetchProtectedResource(configuration, token, url, 'GET', undefined, headers)
    return response.ok ? ((await response.json()) as unknown) : null
  }
  const user = (await ask('/user')) as { id?: unknown; name?: unknown; login?: unknown; avatar_url?: unknown } | null
  if (typeof user?.id !== 'number') return { problem: 'invalid', detail: 'no user' }
  const addresses = await ask('/user/emails')
  const primary = (Array.isArray(addresses) ? addresses : []).find(
    (one: { primary?: unknown; verified?: unknown } | null) => one?.primary === true && one.verified === true,
  ) as { email?: unknown } | undefined
  return {
    provider: provider.id,
    issuer: provider.issuer,
    subject: String(user.id),
    email: textOf(primary?.email),
    name: textOf(user.name) ?? textOf(user.login) ?? '',
    picture: textOf(user.avatar_url),
    groups: null,
  }
}

/** One line of the report about a provider. */
export type CheckLine = { check: 'discovery' | 'keys' | 'endpoints' | 'pkce'; isFine: boolean; detail: string }

/** Checks without a sign-in whether a provider can be used. */
export async function checkProvider(services: ProviderServices, provider: Provider): Promise<CheckLine[]> {
  documents.delete(`${provider.isOwners} ${provider.issuer}`)
  const library = await load()
  const metadata = await attempt(() => discover(library, services, provider))
  if (isProblem(metadata))
    return [{ check: 'discovery', isFine: false, detail: `${metadata.problem}: ${metadata.detail}` }]
  const lines: CheckLine[] = [{ check: 'discovery', isFine: true, detail: metadata.issuer }]
  if (provider.preset === 'github') return lines
  const missing = (['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const).filter((name) => !metadata[name])
  lines.push({ check: 'endpoints', isFine: missing.length === 0, detail: missing.join(', ') })
  const { jwks_uri: keysAt } = metadata
  const keys =
    keysAt === undefined
      ? 0
      : await attempt(async () => {
          const response = await fetchFor(services, provider)(keysAt, { method: 'GET', headers: {} })
          const { keys: found } = (await response.json()) as { keys?: unknown }
          return Array.isArray(found) ? found.length : 0
        })
  lines.push(
    isProblem(keys)
      ? { check: 'keys', isFine: false, detail: `${keys.problem}: ${keys.detail}` }
      : { check: 'keys', isFine: keys > 0, detail: String(keys) },
  )
  const methods = metadata.code_challenge_methods_supported
  if (methods !== undefined)
    lines.push({ check: 'pkce', isFine: methods.includes('S256'), detail: methods.join(', ').slice(0, 80) })
  return lines
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Returns the subject whom the provider has logged out, by a logout token of OpenID Connect Back-Channel Logout 1.0;
 * or the problem.
 */
export async function readLogoutToken(
  services: ProviderServices,
  provider: Provider,
  token: string,
): Promise<{ subject: string; id: string } | ProviderProblem> {
  const library = await load()
  const jose = await import('jose')
  return attempt<{ subject: string; id: string }>(async () => {
    const metadata = await discover(library, services, provider)
    const response = await fetchFor(services, provider)(metadata.jwks_uri ?? '', { method: 'GET', headers: {} })
    const keys = jose.createLocalJWKSet((await response.json()) as Parameters<typeof jose.createLocalJWKSet>[0])
    const { payload } = await jose.jwtVerify(token, keys, {
      issuer: metadata.issuer,
      audience: provider.client_id,
      algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
      clockTolerance: CLOCK_TOLERANCE,
      maxTokenAge: LOGOUT_TOKEN_AGE,
      requiredClaims: ['iat', 'jti', 'events', 'sub'],
    })
    const { events, sub = '', jti = '' } = payload
    const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events
    if (!isLogout || 'nonce' in payload) return { problem: 'invalid', detail: 'not a logout token' }
    return { subject: sub, id: jti }
  })
}

/** The maximum age of a logout token in seconds. */
export const LOGOUT_TOKEN_AGE = 300
