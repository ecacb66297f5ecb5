import { z } from 'zod'
import { findActiveUsers } from '#channels/audience.ts'
import { endpoint } from '#http/endpoint.ts'
import { cancelMails } from '#mail/outbox.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  expiryOf,
  type Invitation,
  invitationJson,
  invitationLinkUrl,
  isByEmail,
  toInvitationJson,
  toLinkJson,
} from './invitation.ts'
import { queueInvitationMails, queueReminders, REMINDER_TEMPLATE } from './invitation-emails.ts'
import {
  invitationFailed,
  listableInviterId,
  mayInviteAs,
  maySeeInvitationsOf,
  mustBeAdministratorForInvitation,
  mustBeOwnerToInviteOwners,
  noSuchInvitation,
  requireManageableInvitation,
  requireManageableLink,
  requireMaySeeInvitation,
  requireNotRecentlyInvited,
  requireWithinDailyLimit,
} from './inviting/access.ts'
import { saveInvitationCount } from './inviting/count-queries.ts'
import { lifetimeParam, lifetimeRefusals, requireLifetime } from './inviting/invitation-params.ts'
import {
  findPendingInvitations,
  saveEndOfInvitationsFrom,
  saveEndOfInvitationsTo,
  saveInvitationEnd,
  saveInvitationLifetime,
} from './queries.ts'

// Operations on existing invitations and links: sending again, extending and revoking, for inviters and
// administrators, and ending them when an account is created or deactivated.

/** Emits to administrators and to the given inviters that the list of invitations has changed. */
export async function emitInvitationsChanged(
  tx: Transaction,
  realmId: number,
  inviterIds: readonly number[],
): Promise<void> {
  const { all } = await findActiveUsers(tx.db, realmId)
  const audience = all.filter((person) => maySeeInvitationsOf(person, inviterIds))
  tx.emit(
    realmId,
    { type: 'invites_changed' },
    audience.map(({ id }) => id),
  )
}

/** Emails an invitation again, with the same link. Its lifetime starts again. */
export async function resendInvitation(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const invitation = await requireManageableInvitation(tx.db, actor, id)
  await requireWithinDailyLimit(tx, actor, 1)
  await requireNotRecentlyInvited(tx, actor, invitation.email)

  const expiresAt = expiryOf(tx.now, invitation.lifetimeMinutes)
  if (!(await saveInvitationLifetime(tx, id, { sentAt: tx.now, expiresAt }))) throw noSuchInvitation()
  await queueInvitationMails(tx, actor.realmId, [invitation], invitation.lifetimeMinutes)
  saveInvitationCount(tx, actor, 1)
  await recordAudit(tx, actor.realmId, 'invitation_resent', { email: invitation.email })
  await emitInvitationsChanged(tx, actor.realmId, [invitation.inviterId])
}

/**
 * Changes the lifetime of an invitation and restarts it, even if the invitation has expired. A lifetime of null means
 * that it never expires.
 */
async function extendInvitation(
  tx: Transaction,
  actor: Actor,
  id: number,
  lifetimeMinutes: number | null,
): Promise<void> {
  const invitation = await requireManageableInvitation(tx.db, actor, id, requireMaySeeInvitation)
  await saveExtension(tx, invitation, lifetimeMinutes)
  await queueReminders(tx, actor.realmId, [invitation], lifetimeMinutes)
}

export async function extendLink(
  tx: Transaction,
  actor: Actor,
  id: number,
  lifetimeMinutes: number | null,
): Promise<void> {
  await saveExtension(tx, await requireManageableLink(tx.db, actor, id, requireMaySeeInvitation), lifetimeMinutes)
}

async function saveExtension(tx: Transaction, invitation: Invitation, lifetimeMinutes: number | null): Promise<void> {
  const lifetime = { lifetimeMinutes, expiresAt: expiryOf(tx.now, lifetimeMinutes) }
  if (!(await saveInvitationLifetime(tx, invitation.id, lifetime))) throw noSuchInvitation()
  const { realmId, email } = invitation
  await recordAudit(tx, realmId, 'invitation_extended', { email, minutes: lifetimeMinutes })
  await emitInvitationsChanged(tx, invitation.realmId, [invitation.inviterId])
}

/** Revokes an invitation: its link stops working, and its queued emails are canceled. */
export async function revokeInvitation(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const invitation = await requireManageableInvitation(tx.db, actor, id)
  await revoke(tx, invitation)
  // To avoid deadlocks, every transaction cancels the reminders to an address before the emails of an invitation.
  await cancelMails(tx, { recipients: [invitation.email], letter: REMINDER_TEMPLATE })
  await cancelMails(tx, { invitationIds: [id] })
}

export async function revokeLink(tx: Transaction, actor: Actor, id: number): Promise<void> {
  await revoke(tx, await requireManageableLink(tx.db, actor, id))
}

async function revoke(tx: Transaction, { id, realmId, inviterId, email }: Invitation): Promise<void> {
  if (!(await saveInvitationEnd(tx, id, 'revoked'))) throw noSuchInvitation()
  await recordAudit(tx, realmId, 'invitation_revoked', { email })
  await emitInvitationsChanged(tx, realmId, [inviterId])
}

/** Ends all invitations and links of an inviter whose account is being deactivated. */
export async function endInvitationsOfInviter(tx: Transaction, realmId: number, inviterId: number): Promise<void> {
  const ended = await saveEndOfInvitationsFrom(tx, inviterId, 'inviter-deactivated')
  if (ended.length === 0) return
  await cancelMails(tx, { invitationIds: ended })
  await emitInvitationsChanged(tx, realmId, [])
}

/** Ends all invitations to an address that has an account now, and cancels their emails. */
export async function endInvitationsToAddress(
  tx: Transaction,
  realmId: number,
  email: string,
  reason: 'superseded' | 'registered',
): Promise<void> {
  // To avoid deadlocks, every transaction writes invitations before their emails.
  const ended = await saveEndOfInvitationsTo(tx, realmId, email, reason)
  await cancelMails(tx, { recipients: [email], letter: REMINDER_TEMPLATE })
  if (ended.length === 0) return
  const invitationIds = ended.map(({ id }) => id)
  await cancelMails(tx, { invitationIds })
  const inviterIds = ended.map(({ inviterId }) => inviterId)
  await emitInvitationsChanged(tx, realmId, inviterIds)
}

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
