import { cancelMails } from '../mail/outbox.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { noSuchInvitation, requireManageableInvitation } from './access.ts'
import { saveInvitationCount } from './counts.ts'
import { tellOfInvitations } from './events.ts'
import { expiryOf } from './invitation.ts'
import { REMINDER_LETTER } from './letters.ts'
import { requireWithinDailyLimit } from './limits.ts'
import { endInvitation, endInvitationsOf, saveResend } from './queries.ts'
import { mailInvitations } from './send-invitations.ts'

/** Mails an invitation once more: the same link, valid again for as long as it was at first. */
export async function resendInvitation(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const invitation = await requireManageableInvitation(tx.db, actor, id)
  await requireWithinDailyLimit(tx, actor, 1)

  await saveResend(tx, id, expiryOf(tx.now, invitation.lifetimeMinutes))
  await cancelMails(tx, { recipients: [invitation.email], letter: REMINDER_LETTER })
  await mailInvitations(tx, actor.realmId, [invitation], invitation.lifetimeMinutes)
  await saveInvitationCount(tx, actor.realmId, 1)
  await tellOfInvitations(tx, actor.realmId, invitation.inviterId)
}

/** Withdraws an invitation: its link is dead, and mails of it that still wait are not sent. */
export async function revokeInvitation(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const invitation = await requireManageableInvitation(tx.db, actor, id)
  if (!(await endInvitation(tx, id, 'revoked'))) throw noSuchInvitation()
  await cancelMails(tx, { invitationIds: [id] })
  await cancelMails(tx, { recipients: [invitation.email], letter: REMINDER_LETTER })
  await tellOfInvitations(tx, actor.realmId, invitation.inviterId)
}

/** Withdraws what somebody offered, when their account ends. */
export async function revokeInvitationsOf(tx: Transaction, realmId: number, inviterId: number): Promise<void> {
  const ended = await endInvitationsOf(tx, inviterId)
  if (ended.length === 0) return
  await cancelMails(tx, { invitationIds: ended })
  await tellOfInvitations(tx, realmId, null)
}
