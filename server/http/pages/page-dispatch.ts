import { z } from 'zod'
import { Refusal } from '../../platform/errors/refusal.ts'
import { findAddressedRealm } from '../caller.ts'
import { requireCsrfToken, requireSameSite } from '../csrf.ts'
import type { Method, Services } from '../endpoint.ts'
import { allowedMethods, buildRouter } from '../router.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '../wire/http-types.ts'
import { redirect, renderPage } from './layout.ts'
import { addressWithQuery } from './local-path.ts'
import { deactivatedPage, noOrganizationPage } from './no-organization-page.ts'
import type { Page, PageCall } from './page.ts'
import { refusalPage } from './refusal-page.ts'
import { findVisitor } from './visitor.ts'

/** Handles the requests for pages; returns null for other paths. */
export function buildPageDispatch(
  pages: readonly Page[],
  services: Services,
): (exchange: HttpRequest) => Promise<HttpResponse> | null {
  const match = buildRouter(
    pages.map((page) => ({ path: page.path, method: page.method, handler: page })),
    new Map(pages.map(({ method, path }) => [`${method} ${path}`, textsIn(path)])),
  )

  return (exchange) => {
    const { path } = exchange
    const found = match(path)
    if (found !== null) return answerWith(found.methods, found.values, exchange)
    const isUnfinished = !path.endsWith('/') && exchange.method !== 'POST' && match(`${path}/`) !== null
    if (!isUnfinished) return null
    return Promise.resolve(redirect(addressWithQuery({ ...exchange, path: `${path}/` })))
  }

  async function answerWith(
    methods: ReadonlyMap<Method, Page>,
    values: Readonly<Record<string, string>>,
    exchange: HttpRequest,
  ): Promise<HttpResponse> {
    const page = methods.get(exchange.method === 'HEAD' ? 'GET' : (exchange.method as Method))
    if (page === undefined) {
      const allow = allowedMethods(methods).join(', ')
      return renderPage({ status: 405, heading: 'This address does not accept such requests', headers: { allow } })
    }
    try {
      return await answerPage(services, page, values, exchange)
    } catch (error) {
      if (error instanceof Refusal) return refusalPage(error)
      throw error
    }
  }
}

async function answerPage(
  services: Services,
  page: Page,
  pathValues: Readonly<Record<string, string>>,
  exchange: HttpRequest,
): Promise<HttpResponse> {
  requireSameSite(exchange)
  const headers: ResponseHeaders = {}
  const visitor = await findVisitor(services, exchange, headers)
  if (page.who === 'user') {
    if (visitor === null) return redirect(toSignIn(exchange))
    requireCsrfToken(services.secret, visitor.session, exchange.method, exchange.body.get('csrf_token'))
  }

  const { host, path, query, remoteAddress } = exchange
  const realm = visitor?.actor.realm ?? (await findAddressedRealm(services, exchange))
  if (page.who === 'anyone here') {
    if (realm === null) return noOrganizationPage(services.db)
    if (realm.deactivatedAt !== null) return deactivatedPage(realm)
  }
  const call: PageCall = { ...services, realm, visitor, host, path, query, remoteAddress }
  const values = Object.fromEntries(page.fields.map((name) => [name, exchange.body.get(name) ?? '']))
  const answer = await page.handle(call as never, { ...values, ...pathValues } as never)
  return { ...answer, headers: { ...headers, ...answer.headers } }
}

/** Returns the login page, which leads back to the page, but not to the target of a form. */
const toSignIn = (exchange: HttpRequest) =>
  exchange.method === 'POST' ? '/login/' : `/login/?next=${encodeURIComponent(addressWithQuery(exchange))}`

/** Every parameter in the path of a page is text. */
const textsIn = (path: string) =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()]))
