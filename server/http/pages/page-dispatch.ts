import { z } from 'zod'
import { html } from '#lib/encoding/html.ts'
import { rateLimitHit } from '#lib/errors/rate-limit-hit.ts'
import { Refusal } from '#lib/errors/refusal.ts'
import { t } from '#lib/text/t.ts'
import { findAddressedRealm } from '../auth/caller.ts'
import { requireCsrfToken, requireSameSite } from '../auth/csrf.ts'
import { logRefusal } from '../auth/log-refusal.ts'
import type { Method, Services } from '../endpoint.ts'
import { csrfFailed } from '../refusals.ts'
import { allowedMethods, buildRouter } from '../router.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '../wire/http-types.ts'
import { redirect, renderPage } from './layout.ts'
import { addressWithQuery } from './local-path.ts'
import { deactivatedPage, noOrganizationPage } from './no-organization-page.ts'
import type { Page, PageCall } from './page.ts'
import { findVisitor } from './visitor.ts'

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
    try {
      const answer = await answerPage(services, page, values, request)
      // Forms show this refusal themselves.
      if (answer.status === 429) await logRefusal(services, request, rateLimitHit({ retryAfter: 0 }))
      return answer
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await logRefusal(services, request, error)
      return refusalPage(error)
    }
  }
}

async function answerPage(
  services: Services,
  page: Page,
  pathValues: Readonly<Record<string, string>>,
  request: HttpRequest,
): Promise<HttpResponse> {
  requireSameSite(request)
  const headers: ResponseHeaders = {}
  const visitor = await findVisitor(services, request, headers)
  if (page.who === 'user') {
    if (visitor === null) return redirect(toSignIn(request))
    requireCsrfToken(services.secret, visitor.session, request.method, request.body.get('csrf_token'))
  }

  const { host, path, query, remoteAddress } = request
  const realm = visitor?.actor.realm ?? (await findAddressedRealm(services, request))
  if (page.who === 'anyone here') {
    if (realm === null) return noOrganizationPage(services, request)
    if (realm.deactivatedAt !== null) return deactivatedPage(realm)
  }
  const userAgent = request.headers['user-agent'] ?? ''
  const call: PageCall = { ...services, realm, visitor, userAgent, host, path, query, remoteAddress }
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
function refusalPage({ kind, message, extras }: Refusal): HttpResponse {
  const isForged = kind === csrfFailed
  const retryAfter = extras['retry-after']
  return renderPage({
    status: kind.status,
    heading: isForged ? t('This form has expired') : t('Something went wrong'),
    content: isForged
      ? html`<p>${t('Nothing was changed. Go back, reload the page, and submit the form again.')}</p>`
      : html`<p>${message}</p>`,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(Number(retryAfter))) },
  })
}
