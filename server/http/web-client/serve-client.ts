import { html } from '../../platform/encoding/html.ts'
import { findAddressedRealm } from '../caller.ts'
import type { Services } from '../endpoint.ts'
import { redirect, renderPage } from '../pages/layout.ts'
import { addressWithQuery } from '../pages/local-path.ts'
import { noOrganizationPage } from '../pages/no-organization-page.ts'
import { findVisitor } from '../pages/visitor.ts'
import { toRefusalResponse } from '../refusal-response.ts'
import { notFound } from '../refusals.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '../wire/http-types.ts'
import { findAppFile } from './app-files.ts'
import { type ClientFiles, openClientFiles } from './client-files.ts'
import { bareHomePage, clientPage } from './client-page.ts'

const ASSET = /^\/assets\/([^/]+)$/

/** Where nothing is the web client's own. */
const FOREIGN = /^\/(static|assets|avatar|user_avatars|user_uploads|accounts|join|new|login|logout|testing)(\/|$)/

/**
 * Answers what nobody else did: the files of the web client and, to browsers that ask for a page, the client itself, which
 * knows its addresses. People who are not signed in are led to where they sign in; all else is not found.
 */
export function serveClient(services: Services, folder: string): (exchange: HttpRequest) => Promise<HttpResponse> {
  const files = openClientFiles(folder)
  return async (exchange) => {
    const { method, path, headers } = exchange
    const isRead = method === 'GET' || method === 'HEAD'
    const name = isRead ? ASSET.exec(path)?.[1] : undefined
    const asset = name === undefined ? null : await files.findAsset(name, exchange)
    if (asset !== null) return asset
    const ofApp = isRead ? await findAppFile(services, files, exchange) : null
    if (ofApp !== null) return ofApp
    const isForPeople = headers.accept?.includes('text/html') ?? false
    if (isRead && (path === '/' || (isForPeople && !FOREIGN.test(path)))) return openClient(services, files, exchange)
    return isForPeople ? notFoundPage() : toRefusalResponse(notFound(), {})
  }
}

async function openClient(services: Services, files: ClientFiles, exchange: HttpRequest): Promise<HttpResponse> {
  const headers: ResponseHeaders = {}
  const visitor = await findVisitor(services, exchange, headers)
  if (visitor === null) {
    if ((await findAddressedRealm(services, exchange)) === null) return noOrganizationPage(services.db)
    const here = addressWithQuery(exchange)
    return redirect(here === '/' ? '/login/' : `/login/?next=${encodeURIComponent(here)}`)
  }
  const index = await files.readIndex()
  const answer = index === null ? bareHomePage(visitor) : clientPage(index, visitor)
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function notFoundPage(): HttpResponse {
  return renderPage({
    status: 404,
    heading: 'There is nothing here',
    content: html`<p>The address may be mistyped, or what was here is gone. <a href="/">Go to the start page</a>.</p>\n`,
  })
}
