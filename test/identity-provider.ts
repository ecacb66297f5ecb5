import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { noSignInFile } from '#lib/sign-in-file.ts'

// An OpenID provider on loopback whose answers tests can forge. It checks what a client must send: the secret, the code
// and the PKCE verifier.

export const CLIENT = { client_id: 'parley', clientSecret: 'client-secret-of-tests' }

type Keys = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey }

export type IdentityProvider = {
  readonly issuer: string
  /** The claims about the person who signs in next. */
  claims: JWTPayload
  /** Further claims, which only `userinfo` returns. */
  moreClaims: JWTPayload
  /** Replaces the answer to a path; null for no answer at all. */
  answers: Map<string, { status?: number; body: string; type?: string } | null>
  /** Makes the ID token; tests replace it to forge one. */
  sign: (payload: JWTPayload) => Promise<string>
  /** Replaces the keys; the old ones are no longer published. */
  rotateKeys(): Promise<void>
  /** Signs anything with the current key. */
  signWithKey(payload: JWTPayload, header?: { alg?: string; kid?: string }): SignJWT
  readonly key: () => CryptoKey
  /** Returns the path with which the provider sends the browser back, as if the person had signed in there. */
  approve(address: string, changes?: Record<string, string | undefined>): string
  readonly tokenRequests: URLSearchParams[]
}

const open: (() => Promise<void>)[] = []
after(async () => {
  for (const close of open) await close()
})

const newKeys = async (): Promise<Keys> => ({
  kid: randomBytes(6).toString('hex'),
  ...(await generateKeyPair('RS256', { extractable: true })),
})

export async function startIdentityProvider(): Promise<IdentityProvider> {
  let keys = await newKeys()
  const codes = new Map<string, { challenge: string; nonce: string; redirectUri: string }>()
  let issuer = ''

  const provider: IdentityProvider = {
    get issuer() {
      return issuer
    },
    claims: { sub: 'ada-1', email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' },
    moreClaims: {},
    answers: new Map(),
    tokenRequests: [],
    sign: (payload) => provider.signWithKey(payload).sign(keys.privateKey),
    async rotateKeys() {
      keys = await newKeys()
    },
    key: () => keys.privateKey,
    signWithKey: (payload, header = {}) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: keys.kid, ...header }),
    approve(address, changes = {}) {
      const query = new URL(address).searchParams
      const code = randomBytes(8).toString('hex')
      const of = (name: string) => query.get(name) ?? ''
      codes.set(code, { challenge: of('code_challenge'), nonce: of('nonce'), redirectUri: of('redirect_uri') })
      const { pathname } = new URL(of('redirect_uri'))
      const given = { code, state: of('state'), iss: issuer, ...changes }
      const answer = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)
      return `${pathname}?${new URLSearchParams(answer)}`
    },
  }

  async function tokenFor(form: URLSearchParams) {
    provider.tokenRequests.push(form)
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isFine = code?.challenge === challenge && code.redirectUri === form.get('redirect_uri')
    if (!isFine) return { status: 400, body: { error: 'invalid_grant' } }
    if (form.get('client_secret') !== CLIENT.clientSecret) return { status: 401, body: { error: 'invalid_client' } }
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, exp: now + 300 }
    const payload = { iss: issuer, aud: CLIENT.client_id, nonce: code.nonce, ...times, ...provider.claims }
    const body = { access_token: 'access', token_type: 'Bearer', id_token: await provider.sign(payload) }
    return { status: 200, body }
  }

  async function answer(path: string, form: URLSearchParams): Promise<{ status: number; body: unknown }> {
    if (path === '/.well-known/openid-configuration')
      return {
        status: 200,
        body: {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/keys`,
          token_endpoint_auth_methods_supported: ['client_secret_post'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
          code_challenge_methods_supported: ['S256'],
        },
      }
    if (path === '/keys') {
      const key = { ...(await exportJWK(keys.publicKey)), kid: keys.kid, use: 'sig', alg: 'RS256' }
      return { status: 200, body: { keys: [key] } }
    }
    if (path === '/token') return tokenFor(form)
    if (path === '/userinfo') return { status: 200, body: { ...provider.claims, ...provider.moreClaims } }
    return { status: 404, body: {} }
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://provider')
    const given = provider.answers.get(pathname)
    if (given === null) return
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const { status, body } =
      given === undefined ? await answer(pathname, form) : { status: given.status ?? 200, body: given.body }
    response.writeHead(status, { 'content-type': given?.type ?? 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  open.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return provider
}

/** Returns the setting SIGN_IN_FILE with the provider, which has the id `sso`. */
export const signInFileWith = (provider: Pick<IdentityProvider, 'issuer'>, changes: object = {}) => ({
  ...noSignInFile,
  providers: [
    {
      id: 'sso',
      preset: 'openid' as const,
      name: 'Example SSO',
      issuer: provider.issuer,
      ...CLIENT,
      organizations: null,
      ...changes,
    },
  ],
})
