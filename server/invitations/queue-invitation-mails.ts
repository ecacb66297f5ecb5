import { cancelMails, type QueuedMail, queueMails } from '#mail/outbox.ts'
import type { Transaction } from '#storage/storage.ts'
import { type EmailInvitation, reminderDueAt } from './invitation.ts'
import { INVITATION_TEMPLATE, REMINDER_TEMPLATE } from './templates.ts'

type MailedInvitation = Pick<EmailInvitation, 'id' | 'email'>

/** Queues the email of each invitation, and a reminder as in `queueReminders`. */
export async function queueInvitationMails(
  tx: Transaction,
  realmId: number,
  invitations: readonly MailedInvitation[],
  lifetimeMinutes: number | null,
): Promise<void> {
  await cancelReminders(tx, invitations)
  queueMails(tx, [
    ...toMails(realmId, invitations, INVITATION_TEMPLATE, tx.now),
    ...toReminders(tx, realmId, invitations, lifetimeMinutes),
  ])
}

/**
 * Queues a reminder for each invitation, if the lifetime is long enough. Earlier reminders to these addresses are
 * canceled.
 */
export async function queueReminders(
  tx: Transaction,
  realmId: number,
  invitations: readonly MailedInvitation[],
  lifetimeMinutes: number | null,
): Promise<void> {
  await cancelReminders(tx, invitations)
  queueMails(tx, toReminders(tx, realmId, invitations, lifetimeMinutes))
}

async function cancelReminders(tx: Transaction, invitations: readonly MailedInvitation[]): Promise<void> {
  await cancelMails(tx, { recipients: invitations.map(({ email }) => email), letter: REMINDER_TEMPLATE })
}

function toReminders(
  { now }: Transaction,
  realmId: number,
  invitations: readonly MailedInvitation[],
  lifetimeMinutes: number | null,
): QueuedMail[] {
  const dueAt = reminderDueAt(now, lifetimeMinutes)
  return dueAt === null ? [] : toMails(realmId, invitations, REMINDER_TEMPLATE, dueAt)
}

function toMails(
  realmId: number,
  invitations: readonly MailedInvitation[],
  letter: string,
  dueAt: number,
): QueuedMail[] {
  return invitations.map(({ id, email }) => ({ realmId, recipient: email, letter, data: {}, invitationId: id, dueAt }))
}
