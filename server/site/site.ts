import { showEmailChange, showEmailUndo, submitEmailChange, submitEmailUndo } from '#accounts/endpoints/email-pages.ts'
import { emailUnsubscribePages } from '#accounts/endpoints/email-unsubscribe-pages.ts'
import { findAccountsPages } from '#accounts/endpoints/find-accounts-pages.ts'
import { login, logout, showLogin } from '#accounts/endpoints/login-pages.ts'
import {
  showForgottenPassword,
  showNewPassword,
  submitForgottenPassword,
  submitNewPassword,
} from '#accounts/endpoints/password-reset-pages.ts'
import type { Services } from '#http/endpoint.ts'
import { assetPages } from '#http/pages/assets.ts'
import type { Page } from '#http/pages/page.ts'
import { buildPageDispatch } from '#http/pages/page-dispatch.ts'
import type { HttpRequest, HttpResponse } from '#http/wire/http-types.ts'
import { showInvitationPreview } from '#invitations/endpoints/preview.ts'
import { joinPages } from '#workflows/joining/join-pages.ts'
import { signUpPages } from '#workflows/joining/sign-up-pages.ts'
import { showMail } from '#workflows/mail/mail-page.ts'
import { unsubscribePages } from '#workflows/mail/unsubscribe-pages.ts'
import { setupPages } from '#workflows/setup/setup-pages.ts'
import { serveClient } from './serve-client.ts'

/** All pages except for the web client. Routing and the checks of the tests derive from this list. */
export const site: readonly Page[] = [
  showLogin,
  login,
  logout,
  showForgottenPassword,
  submitForgottenPassword,
  showNewPassword,
  submitNewPassword,
  showEmailChange,
  submitEmailChange,
  showEmailUndo,
  submitEmailUndo,
  ...findAccountsPages,
  showInvitationPreview,
  showMail,
  ...unsubscribePages,
  ...emailUnsubscribePages,
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
