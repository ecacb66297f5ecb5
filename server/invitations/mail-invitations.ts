import { cancelMails, type QueuedMail, queueMails } from '../mail/outbox.ts'
import type { Transaction } from '../storage/storage.ts'
import { type EmailInvitation, reminderDueAt } from './invitation.ts'
import { INVITATION_LETTER, REMINDER_LETTER } from './letters.ts'

type Mailed = Pick<EmailInvitation, 'id' | 'email'>

/** Queues the mail of each invitation, and its reminder, as `remindOf` does. */
export async function mailInvitations(
  tx: Transaction,
  realmId: number,
  invitations: readonly Mailed[],
  lifetimeMinutes: number | null,
): Promise<void> {
  const mails = invitations.map((invitation) => toMail(realmId, invitation, INVITATION_LETTER, tx.now))
  await queueMails(tx, mails)
  await remindOf(tx, realmId, invitations, lifetimeMinutes)
}

/** Queues a reminder where so long a life-time gets one; it takes the place of any other to the same address. */
export async function remindOf(
  tx: Transaction,
  realmId: number,
  invitations: readonly Mailed[],
  lifetimeMinutes: number | null,
): Promise<void> {
  const recipients = invitations.map(({ email }) => email)
  await cancelMails(tx, { recipients, letter: REMINDER_LETTER })
  const dueAt = reminderDueAt(tx.now, lifetimeMinutes)
  if (dueAt === null) return
  const reminders = invitations.map((invitation) => toMail(realmId, invitation, REMINDER_LETTER, dueAt))
  await queueMails(tx, reminders)
}

function toMail(realmId: number, { id, email }: Mailed, letter: string, dueAt: number): QueuedMail {
  return { realmId, recipient: email, letter, data: {}, invitationId: id, dueAt }
}
