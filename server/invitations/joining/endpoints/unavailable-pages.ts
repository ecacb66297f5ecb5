import { hidden } from '../../../http/pages/form.ts'
import { redirect, renderPage } from '../../../http/pages/layout.ts'
import type { HttpResponse } from '../../../http/wire/http-types.ts'
import type { Realm } from '../../../organizations/realms/realm.ts'
import { type Html, html } from '../../../platform/encoding/html.ts'
import { formatUtcTime } from '../../format.ts'
import { isByEmail } from '../../invitation.ts'
import type { InvitationStatus, JoinState } from '../invitation-status.ts'

/** A page that explains why an invitation cannot be used, and what to do. */
type UnavailablePage = { heading: string; content: (status: InvitationStatus, realm: Realm, key: string) => Html }

const unavailablePages: Record<Exclude<JoinState, 'pending' | 'registered'>, UnavailablePage> = {
  expired: {
    heading: 'This invitation has expired',
    content: ({ invitation, inviter }, realm, key) => html`<p>${inviter.fullName} invited you to ${realm.name}.
${invitation.expiresAt !== null && html`The invitation was valid until ${formatUtcTime(invitation.expiresAt)}.`}</p>
<form method="post" action="/accounts/ask_for_invitation/">
${hidden('key', key)}<button>Ask ${inviter.fullName} for a new one</button>
</form>
`,
  },
  revoked: {
    heading: 'This invitation was revoked',
    content: (
      { inviter },
      realm,
    ) => html`<p>It was sent by ${inviter.fullName} at ${realm.name}. If you think that this is a
mistake, ask them for a new one.</p>
`,
  },
  accepted: {
    heading: 'This invitation has been used',
    content: ({ invitation, inviter }, realm) =>
      isByEmail(invitation)
        ? html`<p>It has created an account at ${realm.name}. If the account is yours, log in.</p>
${loginButton(invitation.email)}`
        : html`<p>As many people have joined ${realm.name} as this link allows. Ask ${inviter.fullName} for a new one.</p>
`,
  },
  superseded: {
    heading: 'You already have an account',
    content: (
      { invitation },
      realm,
    ) => html`<p>${invitation.email} belongs to an account at ${realm.name}. Log in to it.</p>
${loginButton(invitation.email ?? '')}`,
  },
  'inviter-gone': {
    heading: 'This invitation is no longer valid',
    content: (_, realm) => html`<p>Its sender can no longer invite you to ${realm.name}. Ask someone else there for a
new one.</p>
`,
  },
}

const loginButton = (email: string) =>
  html`<p><a class="button" href="/login/?email=${encodeURIComponent(email)}">Log in</a></p>
`

/** Returns the page for an invitation that cannot be used; `status` is null for a link that never existed. */
export function unavailablePage(realm: Realm, status: InvitationStatus | null, key: string): HttpResponse {
  if (status === null || status.state === 'pending') return unknownLinkPage(realm)
  if (status.state === 'registered') return redirectToLogin(status.invitation.email ?? '')
  const { heading, content } = unavailablePages[status.state]
  return renderPage({ status: 404, heading, organization: realm.name, content: content(status, realm, key) })
}

/** Redirects to the login page if the address already has an account. */
export const redirectToLogin = (email: string): HttpResponse =>
  redirect(`/login/?email=${encodeURIComponent(email)}&already_registered=1`)

const unknownLinkPage = (realm: Realm) =>
  renderPage({
    status: 404,
    heading: 'Invitation not found',
    organization: realm.name,
    content: html`<p>Part of the link may be missing: copy all of it, to its last letter. If it still does not work, ask its
sender for a new one.</p>
<p>Already have an account? <a href="/login/">Log in</a></p>
`,
  })

/**
 * The page for an address that is not allowed but was chosen by the inviter, and for an organization without free
 * licenses.
 */
export const cannotJoinPage = (realm: Realm, { inviter }: InvitationStatus, reason: string): HttpResponse =>
  renderPage({
    status: 400,
    heading: `You cannot join ${realm.name} yet`,
    organization: realm.name,
    content: html`<p>${reason}</p>
<p>Ask ${inviter.fullName} for help. When this is resolved, the same link will work.</p>
`,
  })
