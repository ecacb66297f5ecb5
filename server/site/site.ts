import { accountPages } from '#accounts/pages.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { assetPages } from '#http/page-html.ts'
import type { Page } from '#http/pages.ts'
import { showInvitationPreview } from '#invitations/endpoints.ts'
import { showMail, unsubscribePages } from '#workflows/emails.ts'
import { setupPages } from '#workflows/endpoints.ts'
import { joinPages } from '#workflows/join-pages.ts'
import { signUpPages } from '#workflows/sign-up-pages.ts'
import { buildPageDispatch } from './page-dispatch.ts'
import { serveClient } from './serve-client.ts'

// All responses outside the API: pages, pictures, the API reference, and the files of the web client. Every path that
// nothing serves gets a 404.

/** All pages except for the web client. Routing and the checks of the tests derive from this list. */
export const site: readonly Page[] = [
  ...accountPages,
  showInvitationPreview,
  showMail,
  ...unsubscribePages,
  ...setupPages,
  ...joinPages,
  ...signUpPages,
]

/**
 * Returns a function that answers all requests outside the API. Unknown paths get a 404. `webClient` is the folder of
 * the built client.
 */
export function buildSite(
  services: Services,
  { webClient }: { webClient: string },
): (request: HttpRequest) => Promise<HttpResponse> {
  const dispatch = buildPageDispatch(site, services)
  const serve = serveClient(services, webClient)
  return async (request) => assetPages(request) ?? (await dispatch(request)) ?? serve(request)
}
