import { findAddressedRealm } from '#http/auth/caller.ts'
import type { Services } from '#http/endpoint.ts'
import { redirect, renderPage } from '#http/pages/layout.ts'
import { addressWithQuery } from '#http/pages/local-path.ts'
import { noOrganizationPage } from '#http/pages/no-organization-page.ts'
import { findVisitor } from '#http/pages/visitor.ts'
import { toRefusalResponse } from '#http/refusal-response.ts'
import { notFound } from '#http/refusals.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/wire/http-types.ts'
import { html } from '#lib/encoding/html.ts'
import { linkTo, rich } from '#lib/text/rich.ts'
import { t } from '#lib/text/t.ts'
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
