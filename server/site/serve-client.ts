import type { Settings } from '#config.ts'
import { settingsVersion } from '#events/register.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '#http/http-types.ts'
import { csrfField, redirect, renderPage } from '#http/page-html.ts'
import { addressWithQuery, type Visitor } from '#http/pages.ts'
import { notFound, toRefusalResponse } from '#http/refusals.ts'
import { webClientPolicy } from '#http/security-headers.ts'
import { html } from '#lib/html.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import { findAddressedRealm } from '#realms/queries.ts'
import { findFilesOrigin } from '#storage/open-files.ts'
import { type ClientFiles, findAppFile, openClientFiles } from './client-files.ts'
import { findVisitor, noOrganizationPage, withRefusalPages } from './page-dispatch.ts'
import { findPublicConversation } from './public/public-pages.ts'

// Everything that no endpoint, page or picture serves: the web client, for users who are logged in; all others are
// redirected to the login page.

/** Themes by `color_scheme`. Other values follow the system. */
const THEMES: Readonly<Record<number, string>> = { 2: 'dark', 3: 'light' }

/**
 * Returns the web client in the user's theme. `<meta>` elements have the CSRF token, the id of the user, and the version
 * of the settings: state that the client has stored with another one is outdated.
 */
function clientPage(index: string, { csrfToken, actor }: Visitor, settings: Settings): HttpResponse {
  const theme = THEMES[actor.settings.color_scheme]
  const themed = theme === undefined ? index : index.replace(/<html/, `<html data-theme="${theme}"`)
  const { html: meta } = html`<meta name="csrf-token" content="${csrfToken}">
<meta name="user-id" content="${actor.id}">
<meta name="settings-version" content="${settingsVersion(settings)}">`
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      'content-security-policy': webClientPolicy(findFilesOrigin(settings)),
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    },
    body: themed.replace(/<head(?:\s[^>]*)?>/, (head) => `${head}\n${meta}`),
  }
}

/** Returns the start page of logged-in users if the web client is not built. */
function bareHomePage(visitor: Visitor): HttpResponse {
  const { actor } = visitor
  return renderPage({
    heading: t('Welcome, {name}', { name: actor.fullName }),
    organization: actor.realm,
    content: html`<p>${t('The web client has not been built on this server. You can use the terminal client or the mobile app.')}</p>
<p><a href="/api">${t('API reference')}</a></p>
<form method="post" action="/logout/">
${csrfField(visitor)}<button class="plain">${t('Log out')}</button>
</form>
`,
  })
}

const ASSET = /^\/assets\/([^/]+)$/

/** Paths that never belong to the web client. */
const FOREIGN =
  /^\/(static|assets|avatar|external_content|user_avatars|user_uploads|accounts|calls|join|new|login|logout|testing)(\/|$)/

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
    // Programs such as search engines may not say that they want a page.
    const open = isRead && !isForPeople ? await findOpenPage(services, request) : null
    if (open !== null) return open
    return isForPeople ? notFoundPage() : toRefusalResponse(notFound(), {})
  }
}

async function openClient(services: Services, files: ClientFiles, request: HttpRequest): Promise<HttpResponse> {
  const headers: ResponseHeaders = {}
  const visitor = await findVisitor(services, request, headers)
  if (visitor === null) {
    const open = await findOpenPage(services, request)
    if (open !== null) return open
    if ((await findAddressedRealm(services.db, request)) === null) return noOrganizationPage(services, request)
    const here = addressWithQuery(request)
    return redirect(here === '/' ? '/login/' : `/login/?next=${encodeURIComponent(here)}`)
  }
  const index = await files.readIndex()
  const answer = index === null ? bareHomePage(visitor) : clientPage(index, visitor, services.settings)
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

const findOpenPage = (services: Services, request: HttpRequest) =>
  withRefusalPages(services, request, () => findPublicConversation(services, request))

function notFoundPage(): HttpResponse {
  return renderPage({
    status: 404,
    heading: t('Page not found'),
    content: html`<p>${rich('The address may be mistyped, or the page no longer exists. <a>Go to the start page</a>', { a: linkTo('/') })}</p>\n`,
  })
}
