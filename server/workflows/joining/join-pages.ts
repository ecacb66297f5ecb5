import { limitByNetwork } from '#http/limits/limit-by-network.ts'
import type { RateRule } from '#http/limits/rate-limit.ts'
import { renderPage } from '#http/pages/layout.ts'
import { page, type RealmPageCall } from '#http/pages/page.ts'
import type { HttpResponse } from '#http/wire/http-types.ts'
import { isByEmail } from '#invitations/invitation.ts'
import { html } from '#lib/encoding/html.ts'
import { t } from '#lib/text/t.ts'
import { findUserByDeliveryEmail } from '#people/users/queries.ts'
import { hasOtherRealms } from '#realms/queries.ts'
import { findGrants } from './grants.ts'
import { findInvitationStatus } from './invitation-status.ts'
import { alreadySignedInPage, joinForm } from './join-form.ts'
import { registerPage } from './register-page.ts'
import { requestRenewal } from './request-renewal.ts'
import { redirectToLogin, unavailablePage } from './unavailable-pages.ts'

/** The limit of requests for another invitation from one network. */
const RENEWAL_LIMITS: readonly RateRule[] = [[3600, 20]]

const showInvitation = page({
  route: 'GET /accounts/do_confirm/{key}',
  who: 'anyone here',
  handle: (call, { key }) => show(call, key, 'email'),
})

const showLink = page({
  route: 'GET /join/{key}/',
  who: 'anyone here',
  handle: (call, { key }) => show(call, key, 'link'),
})

/** Shows the invitation. Viewing an invitation does not use it, because email scanners open every link. */
async function show(call: RealmPageCall, key: string, kind: 'email' | 'link'): Promise<HttpResponse> {
  const { realm, visitor, db, secret, clock, query, path } = call
  const status = await findInvitationStatus(db, realm, key, secret, clock.now())
  if (status === null || isByEmail(status.invitation) !== (kind === 'email')) return unavailablePage(realm, null, key)
  if (status.state !== 'pending') return unavailablePage(realm, status, key)
  const { email } = status.invitation
  if (email !== null && (await findUserByDeliveryEmail(db, realm.id, email)) !== null) return redirectToLogin(email)
  if (visitor !== null && !query.has('another')) return alreadySignedInPage(realm, visitor.actor, path)
  const grants = await findGrants(db, status.inviter, status.invitation, clock.now())
  const given = { key, email: '', full_name: '', email_address_visibility: '', other_organization: '' }
  return joinForm(db, realm, status, grants, given, await hasOtherRealms(db, realm.id))
}

const askForInvitation = page({
  route: 'POST /accounts/ask_for_invitation/',
  who: 'anyone here',
  fields: ['key'],
  async handle(call, { key }) {
    const { realm, secret } = call
    await limitByNetwork(call, 'requests for invitations', RENEWAL_LIMITS)
    await call.transaction((tx) => requestRenewal(tx, realm, key, secret))
    return renderPage({
      heading: t('Your request was sent'),
      organization: realm,
      content: html`<p>${t('If the invitation can be renewed, its sender now knows that you would like to join.')}</p>\n`,
    })
  },
})

export const joinPages = [showInvitation, showLink, registerPage, askForInvitation]
