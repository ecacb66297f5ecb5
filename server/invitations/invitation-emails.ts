import type { KeyObject } from 'node:crypto'
import { t } from '#lib/text.ts'
import { cancelMails, type QueuedMail, queueMails, unsubscribePath } from '#mail/outbox.ts'
import { wasQueuedAgain } from '#mail/queries.ts'
import { type EmailTemplates, type RenderedEmail, renderLayout, type TemplateContext } from '#mail/render-email.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  type EmailInvitation,
  expiryOf,
  formatUtcTime,
  INVITATION_TEMPLATE,
  type Invitation,
  type InvitationOptions,
  invitationKey,
  reminderDueAt,
  roleKey,
} from './invitation.ts'
import { isPending, mayStillInvite } from './invitation-status.ts'
import { findInvitation } from './queries.ts'

// The emails of invitations, and their reminders. An email is rendered when it is sent, so none is sent for an
// invitation that has ended by then. Addresses that unsubscribed get none.

export const REMINDER_TEMPLATE = 'invitation-reminder'

const invitationTexts: TemplateTexts = {
  subject: (inviter, realm) => t('{inviter} has invited you to join {realm}', { inviter, realm }),
  opening: (inviter, realm) =>
    t('{inviter} has invited you to join {realm}, where conversations are organized by topic.', { inviter, realm }),
}

const reminderTexts: TemplateTexts = {
  subject: (inviter, realm) => t('Reminder: Join {inviter} at {realm}', { inviter, realm }),
  opening: (inviter, realm) =>
    t('{inviter} is still waiting for you at {realm}. The invitation expires in two days.', { inviter, realm }),
}

/**
 * The emails about invitations. No email is sent for an invitation that has ended or expired. Of several reminders to
 * one address, only the last one is sent. A reminder is sent only if its link works: the inviter may still send such an
 * invitation, and the organization is active.
 */
export function invitationTemplates(secret: KeyObject): EmailTemplates {
  return {
    [INVITATION_TEMPLATE]: (_, context) => renderTemplate(secret, context, invitationTexts),
    async [REMINDER_TEMPLATE](_, context) {
      // Concurrent transactions that invite the same address do not see, and so do not cancel, each other's reminders.
      const { db, mail } = context
      if (mail.state === 'queued' && (await wasQueuedAgain(db, mail))) return null
      return renderTemplate(secret, context, reminderTexts)
    },
  }
}

type TemplateTexts = {
  subject(inviter: string, realm: string): string
  opening(inviter: string, realm: string): string
}

/** The variable parts of an invitation email. */
type Contents = {
  inviter: Pick<User, 'fullName' | 'deliveryEmail'>
  realm: Realm
  role: Role
  expiresAt: number | null
  /** The key in the invitation's link. */
  key: string
}

async function renderTemplate(
  secret: KeyObject,
  { db, mail, now }: TemplateContext,
  texts: TemplateTexts,
): Promise<RenderedEmail | null> {
  const invitation = mail.invitationId === null ? null : await findInvitation(db, mail.invitationId)
  if (invitation === null || !isPending(invitation, now)) return null
  const realm = await findRealm(db, invitation.realmId)
  const inviter = await findUser(db, invitation.inviterId)
  if (realm === null || inviter === null) return null
  if (texts === reminderTexts && !(await isLinkUsable(db, { ...inviter, realm }, invitation, now))) return null
  const { role, expiresAt } = invitation
  const contents = { inviter, realm, role, expiresAt, key: invitationKey(secret, invitation) }
  const { url } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
  return {
    ...renderInvitation(contents, db.settings.EXTERNAL_URL, texts),
    unsubscribe: url + unsubscribePath(secret, realm.id, mail.recipient),
  }
}

async function isLinkUsable(db: Db, inviter: Actor, invitation: Invitation, now: number): Promise<boolean> {
  return inviter.realm.deactivatedAt === null && (await mayStillInvite(db, inviter, invitation, now))
}

/** Renders the email of an invitation. The preview uses it too. */
function renderInvitation(
  { inviter, realm, role, expiresAt, key }: Contents,
  externalUrl: string,
  texts: TemplateTexts = invitationTexts,
): RenderedEmail {
  const { hostName, url } = realmAddress(realm.subdomain, externalUrl)
  const page = renderLayout({
    heading: t('Join {realm}', { realm: realm.name }),
    blocks: [
      texts.opening(`${inviter.fullName} (${inviter.deliveryEmail})`, realm.name),
      { button: t('Join {realm}', { realm: realm.name }), url: `${url}/accounts/do_confirm/${key}` },
      joiningAs(role, expiresAt),
    ],
    footer: t(
      'You received this email because {inviter} entered your address at {url}. If you did not expect it, you can ignore it.',
      { inviter: inviter.fullName, url },
    ),
  })
  return {
    subject: texts.subject(inviter.fullName, realm.name),
    ...page,
    list: { name: realm.name, host: hostName },
  }
}

function joiningAs(invitedRole: Role, expiresAt: number | null): string {
  const role = roleKey(invitedRole)
  return expiresAt === null
    ? t(
        'You will join as {role, select, owner {an owner} administrator {an administrator} moderator {a moderator} guest {a guest} other {a member}}. The invitation does not expire.',
        { role },
      )
    : t(
        'You will join as {role, select, owner {an owner} administrator {an administrator} moderator {a moderator} guest {a guest} other {a member}}. The invitation is valid until {time}.',
        { role, time: formatUtcTime(expiresAt) },
      )
}

/** A placeholder for the key of an invitation that does not exist yet. */
const NO_KEY = 'preview'

/** Returns the email that an invitation with these options would send now. The link in it does not work. */
export function previewInvitation(
  db: Db,
  actor: Actor,
  { role, lifetimeMinutes }: Pick<InvitationOptions, 'role' | 'lifetimeMinutes'>,
  now: number,
): RenderedEmail {
  const expiresAt = expiryOf(now, lifetimeMinutes)
  return renderInvitation(
    { inviter: actor, realm: actor.realm, role, expiresAt, key: NO_KEY },
    db.settings.EXTERNAL_URL,
  )
}

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
