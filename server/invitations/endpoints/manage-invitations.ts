import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import {
  listableInviterId,
  mayInviteAs,
  mustBeAdministratorForInvitation,
  mustBeOwnerToInviteOwners,
  noSuchInvitation,
} from '../access.ts'
import { invitationLinkUrl } from '../create-link.ts'
import { type Invitation, isByEmail } from '../invitation.ts'
import { invitationFailed } from '../invitation-failed.ts'
import { invitationJson, toInvitationJson, toLinkJson } from '../invitation-json.ts'
import { extendInvitation, resendInvitation, revokeInvitation } from '../manage-invitations.ts'
import { findPendingInvitations } from '../queries.ts'
import { lifetimeParam, lifetimeRefusals, requireLifetime } from './invitation-params.ts'

export const listInvitations = endpoint({
  route: 'GET /invites',
  summary: 'List pending invitations',
  description:
    'The pending email invitations, followed by the reusable links. Administrators get all of them, other ' +
    'users their own. A link that grants a role which you may not grant has no `link_url`.',
  who: 'member',
  holdsSecrets: true,
  params: {
    include_link_limits: z
      .boolean()
      .default(false)
      .describe('Whether every link has `uses`, `max_uses` and `allowed_domains`, even without such limits.'),
  },
  returns: { invites: z.array(invitationJson) },
  async handle({ db, actor, clock, settings, secret }, { include_link_limits }) {
    const inviterId = listableInviterId(actor)
    const pending = await findPendingInvitations(db, actor.realmId, clock.now(), inviterId)
    const links = pending.filter((invitation) => !isByEmail(invitation))
    const shownUrl = (link: Invitation) =>
      mayInviteAs(actor, link.role) ? invitationLinkUrl(actor.realm, link, settings.EXTERNAL_URL, secret) : null
    return {
      invites: [
        ...pending.filter(isByEmail).map(toInvitationJson),
        ...links.map((link) => toLinkJson(link, shownUrl(link), include_link_limits)),
      ],
    }
  },
})

/** The refusals of every endpoint that manages an invitation or a link. */
export const managementRefusals = [noSuchInvitation, mustBeAdministratorForInvitation, mustBeOwnerToInviteOwners]

export const resendInvitationEndpoint = endpoint({
  route: 'POST /invites/{invite_id}/resend',
  summary: 'Resend an invitation',
  description: 'Sends the same link again and restarts its lifetime.',
  who: 'member',
  refuses: [...managementRefusals, invitationFailed],
  async handle({ transaction, actor }, { invite_id }) {
    await transaction((tx) => resendInvitation(tx, actor, invite_id))
    return {}
  },
})

/** The refusals of the endpoints that extend an invitation or a link. */
export const extensionRefusals = [noSuchInvitation, mustBeOwnerToInviteOwners]

/** The parameters of the endpoints that extend an invitation or a link. */
export const extensionParams = {
  invite_expires_in_minutes: lifetimeParam.describe('Minutes from now until the expiry; null for never.'),
}

export const extendInvitationEndpoint = endpoint({
  route: 'PATCH /invites/{invite_id}',
  summary: 'Extend an invitation',
  description: 'Restarts the lifetime, even if the invitation has expired. No email is sent.',
  who: 'member',
  params: extensionParams,
  refuses: [...lifetimeRefusals, ...extensionRefusals],
  async handle({ transaction, actor }, { invite_id, invite_expires_in_minutes }) {
    const minutes = requireLifetime(invite_expires_in_minutes)
    await transaction((tx) => extendInvitation(tx, actor, invite_id, minutes))
    return {}
  },
})

export const revokeInvitationEndpoint = endpoint({
  route: 'DELETE /invites/{invite_id}',
  summary: 'Revoke an invitation',
  who: 'member',
  refuses: managementRefusals,
  async handle({ transaction, actor }, { invite_id }) {
    await transaction((tx) => revokeInvitation(tx, actor, invite_id))
    return {}
  },
})
