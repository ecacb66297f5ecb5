import type { KeyObject } from 'node:crypto'
import { refusal } from '../base/refusal.ts'
import { hashSecret } from '../base/secrets.ts'
import { cancelMails, queueMails } from '../mail/outbox.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import { complainOfAddress, findJoiningRules } from '../users/joining-rules.ts'
import { findUsersByDeliveryEmail } from '../users/queries.ts'
import type { Role } from '../users/role.ts'
import { isSystemBotAddress } from '../users/system-bots.ts'
import type { Actor } from '../users/user.ts'
import { requireChannelsToGive, requireGroupsToGive, requireMayInvite, requireMayInviteAs } from './access.ts'
import { splitAddresses } from './addresses.ts'
import { saveInvitationCount } from './counts.ts'
import { tellOfInvitations } from './events.ts'
import { invitationFailed, type Skipped } from './failure.ts'
import { expiryOf, reminderDueAt } from './invitation.ts'
import { invitationKey } from './key.ts'
import { INVITATION_LETTER, REMINDER_LETTER } from './letters.ts'
import { requireLicences, requireSeniority, requireWithinDailyLimit } from './limits.ts'
import { saveInvitations } from './queries.ts'

export const noAddress = refusal('BAD_REQUEST', 400, 'You must specify at least one email address.')

/** What somebody is invited to. */
export type Offer = {
  role: Role
  /** Null: it never expires. */
  lifetimeMinutes: number | null
  channelIds: number[]
  groupIds: number[]
  includesDefaultChannels: boolean
  notifiesInviter: boolean
}

/**
 * Invites everyone in `addresses` who has no account yet, each by a mail and a link of their own. Nobody is invited when
 * anything but existing accounts stands in the way. Returns those who were left out; some, never all.
 */
export async function sendInvitations(
  tx: Transaction,
  actor: Actor,
  addresses: string,
  offer: Offer,
  secret: KeyObject,
): Promise<Skipped[]> {
  await requireMayInvite(tx.db, actor, tx.now)
  requireMayInviteAs(actor, offer.role)
  const emails = splitAddresses(addresses)
  if (emails.length === 0) throw noAddress()
  await requireChannelsToGive(tx.db, actor, offer.channelIds, tx.now)
  await requireGroupsToGive(tx.db, actor, offer.groupIds, tx.now)
  await requireWithinDailyLimit(tx, actor, emails.length)
  await requireLicences(tx.db, actor, emails.length)
  requireSeniority(actor, tx.now)

  const malformed = await findMalformed(tx.db, actor, emails)
  const existing = await findExisting(tx.db, actor, emails)
  if (malformed.length > 0)
    throw invitationFailed({
      reason: "Some emails did not validate, so we didn't send any invitations.",
      errors: [...malformed, ...existing],
    })
  const taken = new Set(existing.map(([email]) => email))
  const invitees = emails.filter((email) => !taken.has(email))
  if (invitees.length === 0) throw invitationFailed({ reason: "We weren't able to invite anyone.", errors: existing })

  await saveAndMail(tx, actor, invitees, offer, secret)
  await tellOfInvitations(tx, actor.realmId, actor.id)
  return existing
}

async function findMalformed(db: Db, actor: Actor, emails: readonly string[]): Promise<Skipped[]> {
  const rules = await findJoiningRules(db, actor.realm)
  return emails.flatMap((email): Skipped[] => {
    const complaint = complainOfAddress(rules, email)
    return complaint === null ? [] : [[email, complaint, false]]
  })
}

async function findExisting(db: Db, actor: Actor, emails: readonly string[]): Promise<Skipped[]> {
  const accounts = await findUsersByDeliveryEmail(db, actor.realmId, emails)
  const byMailbox = new Map(accounts.map((user) => [user.deliveryEmail.toLowerCase(), user]))
  return emails.flatMap((email): Skipped[] => {
    if (isSystemBotAddress(email)) return [[email, 'Reserved for system bots.', false]]
    const account = byMailbox.get(email.toLowerCase())
    if (account === undefined) return []
    return account.deactivatedAt === null
      ? [[email, 'Already has an account.', false]]
      : [[email, 'Account has been deactivated.', true]]
  })
}

async function saveAndMail(
  tx: Transaction,
  actor: Actor,
  emails: readonly string[],
  offer: Offer,
  secret: KeyObject,
): Promise<void> {
  const invitations = emails.map((email) => {
    const keySeed = tx.random.bytes(20).toString('hex')
    return {
      ...offer,
      email,
      realmId: actor.realmId,
      inviterId: actor.id,
      expiresAt: expiryOf(tx.now, offer.lifetimeMinutes),
      keySeed,
      keyHash: hashSecret(invitationKey(secret, keySeed)),
    }
  })
  const ids = await saveInvitations(tx, invitations)
  await cancelMails(tx, { recipients: emails, letter: REMINDER_LETTER })
  await mailInvitations(
    tx,
    actor.realmId,
    emails.map((email, at) => ({ id: ids[at] as number, email })),
    offer.lifetimeMinutes,
  )
  await saveInvitationCount(tx, actor.realmId, emails.length)
}

/** Queues the mail of each invitation, and the reminder of those that get one. */
export async function mailInvitations(
  tx: Transaction,
  realmId: number,
  invitations: readonly { id: number; email: string }[],
  lifetimeMinutes: number | null,
): Promise<void> {
  const reminderAt = reminderDueAt(tx.now, lifetimeMinutes)
  await queueMails(
    tx,
    invitations.flatMap(({ id, email }) => {
      const mail = { realmId, recipient: email, data: {}, invitationId: id }
      const reminder = reminderAt === null ? [] : [{ ...mail, letter: REMINDER_LETTER, dueAt: reminderAt }]
      return [{ ...mail, letter: INVITATION_LETTER }, ...reminder]
    }),
  )
}
