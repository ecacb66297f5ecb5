import { cancelMails } from '#mail/outbox.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  noSuchInvitation,
  requireManageableInvitation,
  requireManageableLink,
  requireMaySeeInvitation,
} from './access.ts'
import { saveInvitationCount } from './counts.ts'
import { emitInvitationsChanged } from './events.ts'
import { expiryOf, type Invitation } from './invitation.ts'
import { requireNotRecentlyInvited, requireWithinDailyLimit } from './limits.ts'
import {
  saveEndOfInvitationsFrom,
  saveEndOfInvitationsTo,
  saveInvitationEnd,
  saveInvitationLifetime,
} from './queries.ts'
import { queueInvitationMails, queueReminders } from './queue-invitation-mails.ts'
import { REMINDER_TEMPLATE } from './templates.ts'

/** Emails an invitation again, with the same link. Its lifetime starts again. */
export async function resendInvitation(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const invitation = await requireManageableInvitation(tx.db, actor, id)
  await requireWithinDailyLimit(tx, actor, 1)
  await requireNotRecentlyInvited(tx, actor, invitation.email)

  const expiresAt = expiryOf(tx.now, invitation.lifetimeMinutes)
  if (!(await saveInvitationLifetime(tx, id, { sentAt: tx.now, expiresAt }))) throw noSuchInvitation()
  await queueInvitationMails(tx, actor.realmId, [invitation], invitation.lifetimeMinutes)
  saveInvitationCount(tx, actor, 1)
  await emitInvitationsChanged(tx, actor.realmId, [invitation.inviterId])
}

/**
 * Changes the lifetime of an invitation and restarts it, even if the invitation has expired. A lifetime of null means
 * that it never expires.
 */
export async function extendInvitation(
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

async function revoke(tx: Transaction, { id, realmId, inviterId }: Invitation): Promise<void> {
  if (!(await saveInvitationEnd(tx, id, 'revoked'))) throw noSuchInvitation()
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
