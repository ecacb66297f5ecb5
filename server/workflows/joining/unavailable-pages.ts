import { methodButtons } from '#accounts/sign-in.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { hidden, moment, redirect, renderPage } from '#http/page-html.ts'
import type { RealmPageCall } from '#http/pages.ts'
import { findSignInMethods } from '#identity/providers.ts'
import { isByEmail } from '#invitations/invitation.ts'
import type { InvitationStatus, JoinState } from '#invitations/invitation-status.ts'
import { type Html, html } from '#lib/html.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import type { Realm } from '#realms/realm.ts'

/** A page that explains why an invitation cannot be used, and what the person can do. */
type UnavailablePage = { heading: string; content: (status: InvitationStatus, realm: Realm, key: string) => Html }

const unavailablePages: Record<Exclude<JoinState, 'pending' | 'registered'>, UnavailablePage> = {
  expired: {
    heading: t('This invitation has expired'),
    content: (
      { invitation, inviter },
      realm,
      key,
    ) => html`<p>${t('{inviter} invited you to {realm}.', { inviter: inviter.fullName, realm: realm.name })}
${invitation.expiresAt !== null && rich('The invitation was valid until {time}.', { time: moment(invitation.expiresAt) })}</p>
<form method="post" action="/accounts/ask_for_invitation/">
${hidden('key', key)}<button>${t('Ask {inviter} for a new one', { inviter: inviter.fullName })}</button>
</form>
`,
  },
  revoked: {
    heading: t('This invitation was revoked'),
    content: (
      { inviter },
      realm,
    ) => html`<p>${t('It was sent by {inviter} at {realm}. If you think that this is a mistake, ask them for a new one.', { inviter: inviter.fullName, realm: realm.name })}</p>
`,
  },
  accepted: {
    heading: t('This invitation has been used'),
    content: ({ invitation, inviter }, realm) =>
      isByEmail(invitation)
        ? html`<p>${t('It was used to create an account at {realm}. If the account is yours, sign in.', { realm: realm.name })}</p>
${loginButton(invitation.email)}`
        : html`<p>${t('This link has reached its maximum number of uses. Ask {inviter} for a new one.', { inviter: inviter.fullName })}</p>
`,
  },
  superseded: {
    heading: t('You already have an account'),
    content: (
      { invitation },
      realm,
    ) => html`<p>${t('{email} belongs to an account at {realm}. Sign in to it.', { email: invitation.email ?? '', realm: realm.name })}</p>
${loginButton(invitation.email ?? '')}`,
  },
  'inviter-gone': {
    heading: t('This invitation is no longer valid'),
    content: (
      _,
      realm,
    ) => html`<p>${t('Its sender can no longer invite you to {realm}. Ask someone else there for a new one.', { realm: realm.name })}</p>
`,
  },
}

const loginButton = (email: string) =>
  html`<p><a class="button" href="/login/?email=${encodeURIComponent(email)}">${t('Sign in')}</a></p>
`

/** Returns the page for an invitation that cannot be used; `status` is null for a link that never existed. */
export function unavailablePage(realm: Realm, status: InvitationStatus | null, key: string): HttpResponse {
  if (status === null || status.state === 'pending') return unknownLinkPage(realm)
  if (status.state === 'registered') return redirectToLogin(status.invitation.email ?? '')
  const { heading, content } = unavailablePages[status.state]
  return renderPage({ status: 404, heading, organization: realm, content: content(status, realm, key) })
}

/** Redirects to the login page, which says that the address already has an account. */
export const redirectToLogin = (email: string): HttpResponse =>
  redirect(`/login/?email=${encodeURIComponent(email)}&already_registered=1`)

const unknownLinkPage = (realm: Realm) =>
  renderPage({
    status: 404,
    heading: t('Invitation not found'),
    organization: realm,
    content: html`<p>${t('Part of the link may be missing. Copy the whole link and try again. If it still does not work, ask its sender for a new one.')}</p>
<p>${rich('Already have an account? <a>Sign in</a>', { a: linkTo('/login/') })}</p>
`,
  })

/** Returns the page for an invited address that is not allowed, or for an organization that has no licenses left. */
export const cannotJoinPage = (realm: Realm, { inviter }: InvitationStatus, reason: string): HttpResponse =>
  renderPage({
    status: 400,
    heading: t('You cannot join {realm} yet', { realm: realm.name }),
    organization: realm,
    content: html`<p>${reason}</p>
<p>${t('Ask {inviter} for help. When this is resolved, the same link will work.', { inviter: inviter.fullName })}</p>
`,
  })

/**
 * Returns the page on which people choose a method to join where passwords are turned off; null if they may choose a
 * password. An invitation goes along by its key.
 */
export async function otherMethodsPage({ db, realm }: RealmPageCall, key?: string): Promise<HttpResponse | null> {
  const methods = await findSignInMethods(db, realm)
  if (methods.isPasswordEnabled) return null
  const parameters: Record<string, string> = key === undefined ? {} : { invitation: key }
  return renderPage({
    heading: t('Join {organization}', { organization: realm.name }),
    organization: realm,
    content: html`<p class="quiet">${t('People sign in here with an account of another service.')}</p>
${
  methods.isDirectoryEnabled &&
  html`<p><a class="button" href="/login/?${String(new URLSearchParams(parameters))}">${t('Sign in with your user name')}</a></p>
`
}${methodButtons(methods, parameters)}`,
  })
}
