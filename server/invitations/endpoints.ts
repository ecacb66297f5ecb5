import { z } from 'zod'
import { refusal } from '../base/refusal.ts'
import { invalidUserGroup, userGroupDeactivated } from '../groups/access.ts'
import { endpoint } from '../http/endpoint.ts'
import { insufficientPermission } from '../users/access.ts'
import { isAdministrator, isRole, Role } from '../users/role.ts'
import * as access from './access.ts'
import { invitationFailed } from './failure.ts'
import { toInvitationJson } from './invitation.ts'
import { resendInvitation, revokeInvitation } from './manage-invitations.ts'
import { findPendingInvitations } from './queries.ts'
import { noAddress, sendInvitations } from './send-invitations.ts'

/** In minutes: some 7,600 years, beyond which dates cannot be written. */
const MAX_LIFETIME = 4_000_000_000

export const lifetimeTooShort = refusal('BAD_REQUEST', 400, 'An invitation must be valid for at least one minute.')
export const lifetimeTooLong = refusal('BAD_REQUEST', 400, 'An invitation cannot be valid for so long.')

const sendInvitationsEndpoint = endpoint({
  route: 'POST /invites',
  summary: 'Send invitations',
  description:
    'Invites by e-mail, each address with a link of its own. When some addresses have an account already, the others ' +
    'are invited all the same and the answer is INVITATION_FAILED with `sent_invitations` true.',
  who: 'member',
  params: {
    invitee_emails: z.string().describe('E-mail addresses, separated by commas or line feeds.'),
    invite_expires_in_minutes: z
      .int()
      .nullable()
      .optional()
      .describe('Minutes until the invitation expires; null for never. INVITATION_LINK_VALIDITY_MINUTES when omitted.'),
    invite_as: z
      .int()
      .refine(isRole)
      .default(Role.member)
      .describe('The role of the account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.'),
    notify_referrer_on_join: z.boolean().default(true).describe('Whether the inviter is told when an account is made.'),
    stream_ids: z.array(z.int()).describe('Ids of the channels that the new account is subscribed to.'),
    group_ids: z.array(z.int()).default([]).describe('Ids of the user groups that it becomes a member of.'),
    include_realm_default_subscriptions: z
      .boolean()
      .default(false)
      .describe("Whether it is subscribed to the organization's default channels as well."),
  },
  refuses: [
    lifetimeTooShort,
    lifetimeTooLong,
    insufficientPermission,
    access.mustBeOwnerToInviteOwners,
    access.mustBeAdministrator,
    access.mustBeModerator,
    noAddress,
    access.invalidInvitationChannel,
    access.mayNotSubscribeOthers,
    invalidUserGroup,
    userGroupDeactivated,
    invitationFailed,
  ],
  async handle({ transaction, actor, settings, secret }, params) {
    const lifetimeMinutes =
      params.invite_expires_in_minutes === undefined
        ? settings.INVITATION_LINK_VALIDITY_MINUTES
        : params.invite_expires_in_minutes
    if (lifetimeMinutes !== null && lifetimeMinutes < 1) throw lifetimeTooShort()
    if (lifetimeMinutes !== null && lifetimeMinutes > MAX_LIFETIME) throw lifetimeTooLong()
    const offer = {
      role: params.invite_as as Role,
      lifetimeMinutes,
      channelIds: params.stream_ids,
      groupIds: params.group_ids,
      includesDefaultChannels: params.include_realm_default_subscriptions,
      notifiesInviter: params.notify_referrer_on_join,
    }

    const skipped = await transaction((tx) => sendInvitations(tx, actor, params.invitee_emails, offer, secret))

    if (skipped.length > 0)
      throw invitationFailed({
        reason:
          'Some of those addresses are already using Parley, so we did not send them an invitation. We did send invitations to everyone else!',
        errors: skipped,
        sent_invitations: true,
      })
    return {}
  },
})

const invitation = z.object({
  id: z.int(),
  email: z.string(),
  invited_by_user_id: z.int(),
  invited: z.int(),
  expiry_date: z.int().nullable(),
  invited_as: z.int(),
  notify_referrer_on_join: z.boolean(),
  is_multiuse: z.boolean(),
})

const listInvitationsEndpoint = endpoint({
  route: 'GET /invites',
  summary: 'Get all invitations',
  description:
    'Those that are neither used, withdrawn nor expired: all of them for administrators, their own for others.',
  who: 'member',
  returns: { invites: z.array(invitation) },
  async handle({ db, actor, clock }) {
    const inviterId = isAdministrator(actor) ? null : actor.id
    const invitations = await findPendingInvitations(db, actor.realmId, clock.now(), inviterId)
    return { invites: invitations.map(toInvitationJson) }
  },
})

const managementRefusals = [access.noSuchInvitation, access.mustBeAdministrator, access.mustBeOwnerToInviteOwners]

const resendInvitationEndpoint = endpoint({
  route: 'POST /invites/{invite_id}/resend',
  summary: 'Resend an invitation',
  description: 'The same link; it is valid again for as long as it was at first, counted from now.',
  who: 'member',
  refuses: [...managementRefusals, invitationFailed],
  async handle({ transaction, actor }, { invite_id }) {
    await transaction((tx) => resendInvitation(tx, actor, invite_id))
    return {}
  },
})

const revokeInvitationEndpoint = endpoint({
  route: 'DELETE /invites/{invite_id}',
  summary: 'Withdraw an invitation',
  who: 'member',
  refuses: managementRefusals,
  async handle({ transaction, actor }, { invite_id }) {
    await transaction((tx) => revokeInvitation(tx, actor, invite_id))
    return {}
  },
})

const noReusableLinks = refusal('BAD_REQUEST', 400, 'Reusable invitation links are not available on this server yet.')

const createReusableLink = endpoint({
  route: 'POST /invites/multiuse',
  summary: 'Make a reusable invitation link',
  description: 'Always refused: there are none yet.',
  who: 'member',
  refuses: [noReusableLinks],
  handle() {
    throw noReusableLinks()
  },
})

const revokeReusableLink = endpoint({
  route: 'DELETE /invites/multiuse/{invite_id}',
  summary: 'Withdraw a reusable invitation link',
  description: 'Always refused: there are none yet.',
  who: 'member',
  refuses: [noReusableLinks],
  handle() {
    throw noReusableLinks()
  },
})

export const invitationEndpoints = [
  sendInvitationsEndpoint,
  listInvitationsEndpoint,
  resendInvitationEndpoint,
  revokeInvitationEndpoint,
  createReusableLink,
  revokeReusableLink,
]
