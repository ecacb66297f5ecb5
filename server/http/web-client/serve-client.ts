import { html } from '../../platform/encoding/html.ts'
import { linkTo, rich } from '../../platform/text/rich.ts'
import { t } from '../../platform/text/t.ts'
import { findAddressedRealm } from '../auth/caller.ts'
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

/** Paths that never belong to the web client. */
const FOREIGN = /^\/(static|assets|avatar|user_avatars|user_uploads|accounts|join|new|login|logout|testing)(\/|$)/

/**
 * Handles all remaining requests. Serves the files of the web client. Browsers that request a page get the client,
 * which does its own routing; users who are not logged in are redirected to the login page. All other requests get a
 * 404.
 */
export function serveClient(services: Services, folder: string): (request: HttpRequest) => Promise<HttpResponse> {
  const files = openClientFiles(folder)
  return async (request) => {
    const { method, path, headers } = request
    const isRead = method === 'GET' || method === 'HEAD'
    const name = isRead ? ASSET.exec(path)?.[1] : undefined
    const asset = name === undefined ? null : await files.findAsset(name, request)
    if (asset !== null) return asset
    const ofApp = isRead ? await findAppFile(services, files, request) : null
    if (ofApp !== null) return ofApp
    const isForPeople = headers.accept?.includes('text/html') ?? false
    if (isRead && (path === '/' || (isForPeople && !FOREIGN.test(path)))) return openClient(services, files, request)
    return isForPeople ? notFoundPage() : toRefusalResponse(notFound(), {})
  }
}

async function openClient(services: Services, files: ClientFiles, request: HttpRequest): Promise<HttpResponse> {
  const headers: ResponseHeaders = {}
  const visitor = await findVisitor(services, request, headers)
  if (visitor === null) {
    if ((await findAddressedRealm(services, request)) === null) return noOrganizationPage(services, request)
    const here = addressWithQuery(request)
    return redirect(here === '/' ? '/login/' : `/login/?next=${encodeURIComponent(here)}`)
  }
  const index = await files.readIndex()
  const answer = index === null ? bareHomePage(visitor) : clientPage(index, visitor)
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function notFoundPage(): HttpResponse {
  return renderPage({
    status: 404,
    heading: t('Page not found'),
    content: html`<p>${rich('The address may be mistyped, or the page no longer exists. <a>Go to the start page</a>', { a: linkTo('/') })}</p>\n`,
  })
}
