import type { Services } from './http/endpoint.ts'
import type { Answer, Exchange } from './http/wire/exchange.ts'
import { showInvitationPreview } from './invitations/endpoints/preview.ts'
import { joinPages } from './joining/endpoints/join-pages.ts'
import { showMail } from './mail/endpoints/mail-page.ts'
import { unsubscribePages } from './mail/endpoints/unsubscribe-pages.ts'
import { endMailPages } from './messages/endpoints/end-mail-pages.ts'
import { assetPages } from './pages/assets.ts'
import type { Page } from './pages/page.ts'
import { buildPageDispatch } from './pages/page-dispatch.ts'
import { login, logout, showLogin } from './sessions/endpoints/login-pages.ts'
import {
  askForNewPassword,
  setNewPassword,
  showForgottenPassword,
  showNewPassword,
} from './sessions/endpoints/password-reset-pages.ts'
import { setupPages } from './setup/endpoints/setup-pages.ts'
import { askEmailChange, askEmailUndo, makeEmailChange, undoEmail } from './users/endpoints/email-pages.ts'
import { serveClient } from './web-client/serve-client.ts'

/** All pages but the web client's. Routing and the checks of the tests derive from this list. */
export const site: readonly Page[] = [
  showLogin,
  login,
  logout,
  showForgottenPassword,
  askForNewPassword,
  showNewPassword,
  setNewPassword,
  askEmailChange,
  makeEmailChange,
  askEmailUndo,
  undoEmail,
  showInvitationPreview,
  showMail,
  ...unsubscribePages,
  ...endMailPages,
  ...setupPages,
  ...joinPages,
]

/** Answers whatever is left to people with a browser, in the end that there is nothing; `webClient` is the folder that it was built into. */
export function buildSite(
  services: Services,
  { webClient }: { webClient: string },
): (exchange: Exchange) => Promise<Answer> {
  const dispatch = buildPageDispatch(site, services)
  const serve = serveClient(services, webClient)
  return async (exchange) => assetPages(exchange) ?? (await dispatch(exchange)) ?? serve(exchange)
}
