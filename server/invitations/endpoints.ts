import { z } from 'zod'
import { findDefaultChannels, findRealmChannels } from '#channels/queries.ts'
import { hasPermission, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { isolatedPage, page } from '#http/pages.ts'
import { notForGuests } from '#http/refusals.ts'
import { sendsEmail } from '#mail/delivery.ts'
import { deliveryJson, toDeliveryJson } from '#mail/outbox.ts'
import { findNewestMails } from '#mail/queries.ts'
import { isGuest, isRole, Role, roles } from '#rules/role.ts'
import { INVITATION_TEMPLATE, invitationEndReasons, invitationJson, toEndedInvitationJson } from './invitation.ts'
import { previewInvitation } from './invitation-emails.ts'
import { invitationStateOf } from './invitation-status.ts'
import {
  countInvitationsLeft,
  findGrantableChannels,
  findGrantableGroups,
  listableInviterId,
  mayInviteAs,
} from './inviting/access.ts'
import { invitationParams, lifetimeRefusals, requireLifetime } from './inviting/invitation-params.ts'
import { createLinkEndpoint, extendLinkEndpoint, revokeLinkEndpoint } from './links.ts'
import {
  extendInvitationEndpoint,
  listInvitations,
  resendInvitationEndpoint,
  revokeInvitationEndpoint,
} from './manage-invitations.ts'
import { findEndedInvitations, findPendingInvitations } from './queries.ts'
import { sendInvitationsEndpoint } from './send-invitations.ts'

// The endpoints of invitations and links: sending, previewing, and the list of all. Accepting an invitation is a
// workflow, because it creates an account.

const choice = z.object({ id: z.int(), name: z.string() })

const getInvitationChoices = endpoint({
  route: 'GET /invites/choices',
  summary: 'List the roles, channels and groups that you can grant with invitations',
  description:
    'The choices depend on your permissions and the current settings. An invitation that grants anything else is refused.',
  who: 'member',
  returns: {
    may_invite_by_email: z.boolean(),
    may_make_links: z.boolean(),
    roles: z.array(z.int()).describe('The highest role first.'),
    channels: z.array(choice).describe('Sorted by name; empty if you may not add users to any channel.'),
    default_channels: z.array(choice).describe('The channels that `include_realm_default_subscriptions` adds.'),
    groups: z.array(choice),
    emails_left: z
      .int()
      .nullable()
      .describe('The number of people you can still invite by email today; null if there is no limit.'),
    sends_email: z.boolean().describe('False if the server cannot send email, so that emails stay in the outbox.'),
    default_lifetime_minutes: z.int().describe('The lifetime of invitations that set none.'),
  },
  async handle(call) {
    const { db, actor, clock, settings } = call
    const now = clock.now()
    const viewer = viewerOf(db, actor, now)
    const scope = await viewer.scope()
    const channelIds = (await findRealmChannels(db, actor.realmId)).map(({ id }) => id)
    const groupIds = [...scope.groups.byId.keys()]
    const channels = await findGrantableChannels(viewer, channelIds)
    const groups = await findGrantableGroups(viewer, groupIds)
    return {
      may_invite_by_email: hasPermission(scope, actor, 'can_invite_users_group'),
      may_make_links: hasPermission(scope, actor, 'create_multiuse_invite_group'),
      roles: roles.filter((role) => mayInviteAs(actor, role)),
      channels: toChoices(channels),
      default_channels: toChoices(await findDefaultChannels(db, actor.realmId)),
      groups: toChoices(groups),
      emails_left: await countInvitationsLeft(db, actor, now),
      sends_email: sendsEmail(call),
      default_lifetime_minutes: settings.INVITATION_LINK_VALIDITY_MINUTES,
    }
  },
})

const toChoices = (all: readonly { id: number; name: string }[]) =>
  all.map(({ id, name }) => ({ id, name })).sort((one, other) => (one.name < other.name ? -1 : 1))

const listDeliveries = endpoint({
  route: 'GET /invites/deliveries',
  summary: 'Get the delivery status of invitation emails',
  description:
    'The newest email of each pending invitation. Administrators get those of all invitations, other ' +
    'users those of their own.',
  who: 'member',
  returns: { deliveries: z.array(deliveryJson.extend({ invite_id: z.int(), mail_id: z.int() })) },
  async handle({ db, actor, clock }) {
    const inviterId = listableInviterId(actor)
    const invitations = await findPendingInvitations(db, actor.realmId, clock.now(), inviterId)
    const mails = await findNewestMails(
      db,
      invitations.map(({ id }) => id),
      INVITATION_TEMPLATE,
    )
    return {
      deliveries: mails.map((mail) => ({
        invite_id: mail.invitationId as number,
        mail_id: mail.id,
        ...toDeliveryJson(mail),
      })),
    }
  },
})

/** Seconds for which an invitation stays in the list after it has ended or expired. */
const LISTED_SECONDS = 30 * 86_400

const endedJson = invitationJson.omit({ link_url: true }).extend({
  state: z.enum(['expired', ...invitationEndReasons]),
  ended_at: z.int(),
})

const listEndedInvitations = endpoint({
  route: 'GET /invites/ended',
  summary: 'List invitations that were used or revoked, or have expired',
  description:
    'The invitations and links of the last 30 days that were used, revoked or expired, latest first. ' +
    'Administrators get all of them, other users their own. Expired ones can be extended.',
  who: 'member',
  returns: { invites: z.array(endedJson) },
  async handle({ db, actor, clock }) {
    const now = clock.now()
    const inviterId = listableInviterId(actor)
    const ended = await findEndedInvitations(db, actor.realmId, { since: now - LISTED_SECONDS, now, inviterId })
    return {
      invites: ended.map((invitation) => ({
        ...toEndedInvitationJson(invitation),
        state: invitationStateOf(invitation, now) as z.infer<typeof endedJson>['state'],
        ended_at: Math.floor(invitation.endedAt ?? invitation.expiresAt ?? now),
      })),
    }
  },
})

const { invite_as, invite_expires_in_minutes } = invitationParams

const previewInvitationEndpoint = endpoint({
  route: 'GET /invites/preview',
  summary: 'Preview the email of an invitation',
  description: 'No email is sent, and the link in it does not work.',
  who: 'member',
  params: { invite_as, invite_expires_in_minutes },
  returns: { subject: z.string(), text: z.string() },
  refuses: lifetimeRefusals,
  handle({ db, actor, clock, settings }, params) {
    const { invite_expires_in_minutes: minutes = settings.INVITATION_LINK_VALIDITY_MINUTES } = params
    const options = { role: params.invite_as as Role, lifetimeMinutes: requireLifetime(minutes) }
    const { subject, text } = previewInvitation(db, actor, options, clock.now())
    return { subject, text }
  },
})

/** Returns the HTML of the previewed email, for the frame in which the web client shows it. */
export const showInvitationPreview = page({
  route: 'GET /invites/preview/html',
  who: 'user',
  handle({ db, visitor, clock, query }) {
    if (isGuest(visitor.actor)) throw notForGuests()
    const role = Number(query.get('invite_as'))
    const minutes = Number(query.get('minutes') ?? '')
    const options = {
      role: isRole(role) ? role : Role.member,
      lifetimeMinutes: minutes > 0 ? requireLifetime(Math.round(minutes)) : null,
    }
    return isolatedPage(previewInvitation(db, visitor.actor, options, clock.now()).html)
  },
})

export const invitationEndpoints = [
  sendInvitationsEndpoint,
  listInvitations,
  listEndedInvitations,
  listDeliveries,
  getInvitationChoices,
  previewInvitationEndpoint,
  resendInvitationEndpoint,
  extendInvitationEndpoint,
  revokeInvitationEndpoint,
  createLinkEndpoint,
  extendLinkEndpoint,
  revokeLinkEndpoint,
]
