import { z } from 'zod'
import { requireSameSite } from '#http/authentication.ts'
import { logRefusal, originOf } from '#http/caller.ts'
import { allowedMethods, buildRouter, type Method, type Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/http-types.ts'
import { redirect, renderPage } from '#http/page-html.ts'
import { addressWithQuery, type Page, type PageCall, type Visitor } from '#http/pages.ts'
import { requireProof } from '#http/proof-of-work.ts'
import { csrfFailed } from '#http/refusals.ts'
import { Refusal, rateLimitHit } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { commandLine } from '#lib/process.ts'
import { t } from '#lib/text.ts'
import { findSignedIn, renewWhenDue, requireCsrfToken } from '#people/authentication.ts'
import { csrfToken } from '#people/sessions.ts'
import { findAddressedRealm, findRealm, findRedirect, hasOrganization } from '#realms/queries.ts'
import { type Realm, realmAddress, subdomainOf } from '#realms/realm.ts'
import { withOrigin } from '#storage/storage.ts'

// Calls of pages: the organization at the host, the login, the form, and protection against forms of other sites,
// before the handler runs. A page handler gets only what its declaration allows.

/**
 * Returns the response at a host without an organization: a redirect if an organization was renamed, otherwise a page.
 * If there is no organization at all, the page explains how to create one.
 */
export async function noOrganizationPage(
  { db, settings }: Pick<Services, 'db' | 'settings'>,
  request: Pick<HttpRequest, 'host' | 'method' | 'path' | 'query'>,
): Promise<HttpResponse> {
  const { EXTERNAL_URL, REALM_HOSTS } = settings
  const renamedId = await findRedirect(db, subdomainOf(request.host, EXTERNAL_URL, REALM_HOSTS))
  const renamed = renamedId === null ? null : await findRealm(db, renamedId)
  if (renamed !== null) {
    const { url } = realmAddress(renamed.subdomain, EXTERNAL_URL)
    return redirect(url + (request.method === 'POST' ? '/' : addressWithQuery(request)))
  }
  if (await hasOrganization(db))
    return renderPage({
      status: 404,
      heading: t('No organization found'),
      content: html`<p>${t('Check the address for typos, or ask the person who sent you here.')}</p>
<p><a href="/accounts/find/">${t('Find your organizations')}</a></p>
${settings.OPEN_REALM_CREATION && html`<p><a href="${EXTERNAL_URL}/new/">${t('Create an organization')}</a></p>\n`}`,
    })
  return renderPage({
    status: 404,
    heading: t('No organization yet'),
    content: html`<p>${t('If you run this server, open the setup link that it printed when it started, or print a new one:')}</p>
<pre><code>${commandLine('setup-link')}</code></pre>
<p>${t('If someone sent you here, ask them to check the address.')}</p>
`,
  })
}

/** Returns the page of a deactivated organization. */
function deactivatedPage(realm: Realm): HttpResponse {
  return renderPage({
    status: 403,
    heading: t('This organization is deactivated'),
    organization: realm,
    content: html`<p>${t('{name} has been deactivated, so you cannot sign in. Its messages and files are kept.', { name: realm.name })}</p>
<p>${t('If an owner deactivated it, the email about it has a link that reactivates it. Otherwise, ask the operator of the server.')}</p>
`,
  })
}

/**
 * Returns the user who is logged in with the browser, or null. Adds the cookie to `headers` when it extends the
 * session.
 */
export async function findVisitor(
  services: Services,
  request: Pick<HttpRequest, 'headers' | 'host' | 'path'>,
  headers: ResponseHeaders,
): Promise<Visitor | null> {
  const signedIn = await findSignedIn(services, request)
  if (signedIn === null) return null
  await renewWhenDue(services, request, signedIn, headers)
  return { ...signedIn, csrfToken: csrfToken(services.secret, signedIn.session) }
}

/** Handles the requests for pages; returns null for other paths. */
export function buildPageDispatch(
  pages: readonly Page[],
  services: Services,
): (request: HttpRequest) => Promise<HttpResponse> | null {
  const match = buildRouter(
    pages.map((page) => ({ path: page.path, method: page.method, handler: page })),
    new Map(pages.map(({ method, path }) => [`${method} ${path}`, stringsIn(path)])),
  )

  return (request) => {
    const { path } = request
    const found = match(path)
    if (found !== null) return answerWith(found.methods, found.values, request)
    const isUnfinished = !path.endsWith('/') && request.method !== 'POST' && match(`${path}/`) !== null
    if (!isUnfinished) return null
    return Promise.resolve(redirect(addressWithQuery({ ...request, path: `${path}/` })))
  }

  async function answerWith(
    methods: ReadonlyMap<Method, Page>,
    values: Readonly<Record<string, string>>,
    request: HttpRequest,
  ): Promise<HttpResponse> {
    const page = methods.get(request.method === 'HEAD' ? 'GET' : (request.method as Method))
    if (page === undefined) {
      const allow = allowedMethods(methods).join(', ')
      return renderPage({
        status: 405,
        heading: t('This page does not accept this kind of request'),
        headers: { allow },
      })
    }
    const respond = async () => {
      const answer = await answerPage(services, page, values, request)
      // Forms show this refusal themselves.
      if (answer.status === 429) await logRefusal(services, request, rateLimitHit({ retryAfter: 0 }))
      return answer
    }
    const form = request.method === 'POST' && methods.has('GET') ? request.path : null
    return withRefusalPages(services, request, respond, form)
  }
}

/** Returns the response, or a page with the refusal, which it logs. `form` is the path of the form that was submitted. */
export async function withRefusalPages<Answer>(
  services: Services,
  request: HttpRequest,
  respond: () => Promise<Answer>,
  form: string | null = null,
): Promise<Answer | HttpResponse> {
  try {
    return await respond()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await logRefusal(services, request, error)
    return refusalPage(error, { organization: await findAddressedRealm(services.db, request), form })
  }
}

async function answerPage(
  services: Services,
  page: Page,
  pathValues: Readonly<Record<string, string>>,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (!page.acceptsOtherSites) requireSameSite(request)
  if (page.needsProof) await requireProof(services, page.path, request.body.get('proof') ?? '')
  const headers: ResponseHeaders = {}
  const visitor = await findVisitor(services, request, headers)
  if (page.who === 'user') {
    if (visitor === null) return redirect(toSignIn(request))
    requireCsrfToken(services.secret, visitor.session, request.method, request.body.get('csrf_token'))
  }

  const { host, path, query, rawQuery, headers: requestHeaders, remoteAddress, peerAddress } = request
  const realm = visitor?.actor.realm ?? (await findAddressedRealm(services.db, request))
  if (page.who === 'anyone here') {
    if (realm === null) return noOrganizationPage(services, request)
    if (realm.deactivatedAt !== null) return deactivatedPage(realm)
  }
  const userAgent = requestHeaders['user-agent'] ?? ''
  const transaction = withOrigin(services.transaction, originOf(services, request, visitor?.actor.id ?? null))
  const origin = { host, path, query, rawQuery, headers: requestHeaders, remoteAddress, peerAddress }
  const call: PageCall = { ...services, transaction, realm, visitor, userAgent, ...origin }
  const values = Object.fromEntries(page.fields.map((name) => [name, request.body.get(name) ?? '']))
  const answer = await page.handle(call as never, { ...values, ...pathValues } as never)
  return { ...answer, headers: { ...headers, ...answer.headers } }
}

/**
 * Returns the address of the login page. After the login, users return to the requested page, but not to the target of
 * a form.
 */
const toSignIn = (request: HttpRequest) =>
  request.method === 'POST' ? '/login/' : `/login/?next=${encodeURIComponent(addressWithQuery(request))}`

/** Every parameter in the path of a page is a string. */
const stringsIn = (path: string) =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()]))

/** Returns the page for a refusal. Pages with a form show its errors beside the fields instead. */
function refusalPage(
  { kind, message, extras }: Refusal,
  { organization, form }: { organization: Realm | null; form: string | null },
): HttpResponse {
  const isForged = kind === csrfFailed
  const retryAfter = extras['retry-after']
  return renderPage({
    status: kind.status,
    heading: isForged ? t('This form has expired') : t('Something went wrong'),
    organization: organization ?? undefined,
    content: html`<p>${isForged ? t('Nothing was changed. Go back, reload the page, and submit the form again.') : message}</p>
${form !== null && html`<p><a class="button" href="${form}">${t('Back to the form')}</a></p>\n`}`,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(Number(retryAfter))) },
  })
}
