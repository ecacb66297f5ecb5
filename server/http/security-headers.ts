import type { Settings } from '#config.ts'
import { readApiPath } from './authentication.ts'
import type { AuthMethod, ResponseHeaders } from './http-types.ts'
import { NO_STORE } from './refusals.ts'

// The headers that keep browsers safe from responses, in particular every content security policy of the server. A
// response without a policy of its own gets the strictest one. Each policy begins with `default-src 'none'`, so a
// response may load only what is listed here.

type Directives = Readonly<Record<string, string>> & { 'frame-ancestors'?: string; sandbox?: '' }

/** Returns a content security policy that allows nothing but these directives; no other site may frame the response. */
function policy({ 'frame-ancestors': ancestors = "'none'", sandbox, ...allowed }: Directives = {}): string {
  const directives = {
    'default-src': "'none'",
    ...allowed,
    'base-uri': "'none'",
    'frame-ancestors': ancestors,
    ...(sandbox !== undefined && { sandbox }),
  }
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`.trimEnd())
    .join('; ')
}

/** A file of a message that a browser shows, such as an SVG picture with styles. */
const UPLOAD = {
  'img-src': "'self'",
  'media-src': "'self'",
  'style-src': "'unsafe-inline'",
  'frame-ancestors': "'self'",
}

const PAGE = {
  'style-src': "'self'",
  'script-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
}

/** The value of `Content-Security-Policy` by what the response is. */
export const CONTENT_POLICIES = {
  /** Every response that has no policy of its own. */
  data: policy(),
  /** Content of users that a browser should never treat as a page, such as avatars. */
  sandboxed: policy({ sandbox: '' }),
  upload: policy({ ...UPLOAD, sandbox: '' }),
  /** Browsers cannot show a PDF in a sandbox, and they run no code in it. */
  uploadedPdf: policy(UPLOAD),
  /** HTML that is not a page of this server, such as an email: inline styles only, like an email program. */
  isolatedHtml: policy({
    'style-src': "'unsafe-inline'",
    'form-action': "'none'",
    'frame-ancestors': "'self'",
    sandbox: '',
  }),
  /** A page of the server. It loads nothing from other servers, and no script may write HTML. */
  page: policy(PAGE),
  /** A page with a proof of work, whose script starts a worker. */
  pageWithProof: policy({ ...PAGE, 'trusted-types': 'parley-proof' }),
  /** A page whose form may lead to an app on the same device. */
  pageBeforeApp: policy({ ...PAGE, 'form-action': "'self' zulip:" }),
  /** A page with messages for people without an account. It has no scripts and no forms. */
  publicPage: policy({
    'style-src': "'self'",
    'img-src': "'self'",
    'media-src': "'self'",
    'font-src': "'self'",
    'form-action': "'none'",
  }),
  /** The web client. It loads nothing from other servers: this one passes on the pictures of other sites. */
  webClient: policy({
    'script-src': "'self'",
    'style-src': "'self'",
    'font-src': "'self'",
    'connect-src': "'self'",
    'manifest-src': "'self'",
    'img-src': "'self' data: blob:",
    'media-src': "'self' blob:",
    'frame-src': "'self'",
    'form-action': "'self'",
    'require-trusted-types-for': "'script'",
    'trusted-types': 'parley',
  }),
  serviceWorker: policy({ 'connect-src': "'self'" }),
} as const

/** Returns the policy of the web client, which may also show files from this origin. */
export function webClientPolicy(filesOrigin: string | null): string {
  const policy = CONTENT_POLICIES.webClient
  return filesOrigin === null ? policy : policy.replace(/\b(?:img|media|frame)-src [^;]*/g, `$& ${filesOrigin}`)
}

/** A year, in seconds. Subdomains are included only if the operator says so, because they may belong to others. */
const HTTPS_ONLY = 'max-age=31536000'

/**
 * Returns the headers of every response that does not set them itself. With them, browsers do not guess the type of a
 * response, do not show it in a frame, and neither run nor load anything for it. If the server is reached by https, they
 * use only https.
 */
export function securityHeaders({
  EXTERNAL_URL,
  HSTS_SUBDOMAINS,
}: Pick<Settings, 'EXTERNAL_URL' | 'HSTS_SUBDOMAINS'>): Record<string, string> {
  const httpsOnly = HSTS_SUBDOMAINS ? `${HTTPS_ONLY}; includeSubDomains` : HTTPS_ONLY
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': CONTENT_POLICIES.data,
    ...(EXTERNAL_URL.startsWith('https:') && { 'strict-transport-security': httpsOnly }),
  }
}

const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Authorization',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
}

const byAuthMethod: Record<AuthMethod, ResponseHeaders> = { key: { ...NO_STORE, ...crossOrigin }, session: NO_STORE }

/** Returns the headers of every response of the API for this authentication method. */
export const apiHeaders = (authMethod: AuthMethod): ResponseHeaders => ({ ...byAuthMethod[authMethod] })

/** Returns the headers of every response for this path, including refusals sent before the request has been read. */
export function headersForPath(path: string): ResponseHeaders {
  const apiPath = readApiPath(path)
  return apiPath === null ? {} : apiHeaders(apiPath.authMethod)
}
