import { accountPages } from '#accounts/endpoints.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { assetPages } from '#http/page-html.ts'
import type { Page } from '#http/pages.ts'
import { callPages } from '#integrations/calls.ts'
import { integrationPages } from '#integrations/endpoints.ts'
import { showInvitationPreview } from '#invitations/endpoints.ts'
import { reactivationPages } from '#organizations/deactivation.ts'
import { workflowPages } from '#workflows/endpoints.ts'
import { buildPageDispatch } from './page-dispatch.ts'
import { publicPages } from './public/public-pages.ts'
import { serveClient } from './serve-client.ts'

// All responses outside the API: pages, pictures, the API reference, and the files of the web client. Every path that
// nothing serves gets a 404.

/** All pages except for the web client. Routing and the checks of the tests derive from this list. */
export const site: readonly Page[] = [
  ...accountPages,
  ...callPages,
  ...integrationPages,
  showInvitationPreview,
  ...workflowPages,
  ...reactivationPages,
  ...publicPages,
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
