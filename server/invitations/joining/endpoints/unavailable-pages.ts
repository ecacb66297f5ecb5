import { hidden } from '../../../http/pages/form.ts'
import { redirect, renderPage } from '../../../http/pages/layout.ts'
import type { HttpResponse } from '../../../http/wire/http-types.ts'
import type { Realm } from '../../../organizations/realms/realm.ts'
import { type Html, html } from '../../../platform/encoding/html.ts'
import { formatUtcTime } from '../../format.ts'
import { isByEmail } from '../../invitation.ts'
import type { InvitationStatus, JoinState } from '../invitation-status.ts'

/** Why a link leads nowhere, and what whoever followed it can do. */
type UnavailablePage = { heading: string; content: (door: InvitationStatus, realm: Realm, key: string) => Html }

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
    heading: 'This invitation was withdrawn',
    content: ({ inviter }, realm) => html`<p>It came from ${inviter.fullName} at ${realm.name}, and does not count any
more. If you think that this is a mistake, ask them for another one.</p>
`,
  },
  accepted: {
    heading: 'This invitation was used',
    content: ({ invitation, inviter }, realm) =>
      isByEmail(invitation)
        ? html`<p>There is an account at ${realm.name} that came of it. If it is yours, log in.</p>
${loginButton(invitation.email)}`
        : html`<p>As many people have joined ${realm.name} by this link as may. Ask ${inviter.fullName} for another one.</p>
`,
  },
  superseded: {
    heading: 'You have an account already',
    content: (
      { invitation },
      realm,
    ) => html`<p>${invitation.email} belongs to an account at ${realm.name}. Log in to it.</p>
${loginButton(invitation.email ?? '')}`,
  },
  'inviter-gone': {
    heading: 'This invitation does not count any more',
    content: (
      _,
      realm,
    ) => html`<p>Whoever sent it can no longer invite you to ${realm.name} like this. Ask somebody else
there for another one.</p>
`,
  },
}

const loginButton = (email: string) =>
  html`<p><a class="button" href="/login/?email=${encodeURIComponent(email)}">Log in</a></p>
`

/** What stands behind a link that opens nothing; null: there never was such a link. */
export function unavailablePage(realm: Realm, door: InvitationStatus | null, key: string): HttpResponse {
  if (door === null || door.state === 'pending') return unknownLinkPage(realm)
  if (door.state === 'registered') return redirectToLogin(door.invitation.email ?? '')
  const { heading, content } = unavailablePages[door.state]
  return renderPage({ status: 404, heading, organization: realm.name, content: content(door, realm, key) })
}

/** To where somebody signs in whose address has an account already. */
export const redirectToLogin = (email: string): HttpResponse =>
  redirect(`/login/?email=${encodeURIComponent(email)}&already_registered=1`)

const unknownLinkPage = (realm: Realm) =>
  renderPage({
    status: 404,
    heading: 'There is no such invitation',
    organization: realm.name,
    content: html`<p>Perhaps a part of the link is missing: copy it whole, to its last letter. If it still leads here, ask
whoever sent it for another one.</p>
<p>Already have an account? <a href="/login/">Log in</a></p>
`,
  })

/** For somebody who cannot come in with an address that is not theirs to choose, or for whom there is no room. */
export const cannotJoinPage = (realm: Realm, { inviter }: InvitationStatus, reason: string): HttpResponse =>
  renderPage({
    status: 400,
    heading: `You cannot join ${realm.name} yet`,
    organization: realm.name,
    content: html`<p>${reason}</p>
<p>Nothing is lost: ask ${inviter.fullName}, and when that is settled the same link works.</p>
`,
  })
