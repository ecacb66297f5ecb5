import { isSystemBotAddress } from '../people/users/bots/system-bots.ts'
import { findEmailProblem, findJoiningRules } from '../people/users/joining-rules.ts'
import { findUsersByDeliveryEmail, lockEmailAddresses } from '../people/users/queries.ts'
import type { Actor } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db, Transaction } from '../platform/storage/storage.ts'
import {
  requireActiveInviter,
  requireGrantableChannels,
  requireGrantableGroups,
  requireMayInvite,
  requireMayInviteAs,
} from './access.ts'
import { saveInvitationCount } from './counts.ts'
import { emitInvitationsChanged } from './events.ts'
import type { InvitationOptions } from './invitation.ts'
import { invitationFailed, type SkippedAddress } from './invitation-failed.ts'
import { findRecentlyInvited, requireAccountAge, requireLicenses, requireWithinDailyLimit } from './limits.ts'
import { newInvitation } from './new-invitation.ts'
import { saveInvitations } from './queries.ts'
import { queueInvitationMails } from './queue-invitation-mails.ts'
import { splitAddresses } from './split-addresses.ts'

export const noAddress = refusal('BAD_REQUEST', 400, 'You must specify at least one email address.')
export const tooManyAddresses = refusal(
  'BAD_REQUEST',
  400,
  'You can invite at most {limit} email addresses at once. No invites were sent.',
)

/** The most addresses of one request: nobody else is served while they are invited. */
const MAX_ADDRESSES = 1000

/**
 * Invites everyone in `addresses` who has no account yet, each by a mail and a link of their own. Nobody is invited when
 * anything but existing accounts stands in the way, such as an invitation of a few minutes ago. Returns those who were left out; some, never all.
 */
export async function sendInvitations(
  tx: Transaction,
  actor: Actor,
  addresses: string,
  offer: InvitationOptions,
): Promise<SkippedAddress[]> {
  await requireMayInvite(tx.db, actor, 'email', tx.now)
  requireMayInviteAs(actor, offer.role)
  const emails = splitAddresses(addresses)
  if (emails.length === 0) throw noAddress()
  if (emails.length > MAX_ADDRESSES) throw tooManyAddresses({ limit: MAX_ADDRESSES })
  await requireGrantableChannels(tx.db, actor, offer.channelIds, tx.now)
  await requireGrantableGroups(tx.db, actor, offer.groupIds, tx.now)
  await requireWithinDailyLimit(tx, actor, emails.length)
  await requireLicenses(tx.db, actor, emails.length)
  requireAccountAge(actor, tx.now)

  const malformed = await findInvalidAddresses(tx.db, actor, emails)
  // Who is just joining has an account, and ends no invitation that they cannot see.
  await lockEmailAddresses(tx, actor.realmId)
  await requireActiveInviter(tx, actor)
  const existing = await findExistingAccounts(tx.db, actor, without(emails, malformed))
  if (malformed.length > 0)
    throw invitationFailed({
      reason: "Some emails did not validate, so we didn't send any invitations.",
      errors: [...malformed, ...existing],
    })
  const invitees = without(emails, existing)
  if (invitees.length === 0) throw invitationFailed({ reason: "We weren't able to invite anyone.", errors: existing })
  const justInvited = await findRecentlyInvited(tx, actor, invitees)
  if (justInvited.length > 0)
    throw invitationFailed({
      reason: "Some people were sent an invitation a few minutes ago, so we didn't send any invitations.",
      errors: [...justInvited, ...existing],
    })

  await saveAndMail(tx, actor, invitees, offer)
  await emitInvitationsChanged(tx, actor.realmId, [actor.id])
  return existing
}

async function findInvalidAddresses(db: Db, actor: Actor, emails: readonly string[]): Promise<SkippedAddress[]> {
  const rules = await findJoiningRules(db, actor.realm)
  return emails.flatMap((email): SkippedAddress[] => {
    const complaint = findEmailProblem(rules, email)
    return complaint === null ? [] : [[email, complaint, false]]
  })
}

async function findExistingAccounts(db: Db, actor: Actor, emails: readonly string[]): Promise<SkippedAddress[]> {
  const accounts = await findUsersByDeliveryEmail(db, actor.realmId, emails)
  const byMailbox = new Map(accounts.map((user) => [user.deliveryEmail.toLowerCase(), user]))
  return emails.flatMap((email): SkippedAddress[] => {
    if (isSystemBotAddress(email)) return [[email, 'Reserved for system bots.', false]]
    const account = byMailbox.get(email.toLowerCase())
    if (account === undefined) return []
    return account.deactivatedAt === null
      ? [[email, 'Already has an account.', false]]
      : [[email, 'Account has been deactivated.', true]]
  })
}

function without(emails: readonly string[], skipped: readonly SkippedAddress[]): string[] {
  const left = new Set(skipped.map(([email]) => email))
  return emails.filter((email) => !left.has(email))
}

async function saveAndMail(
  tx: Transaction,
  actor: Actor,
  emails: readonly string[],
  offer: InvitationOptions,
): Promise<void> {
  const invitations = emails.map((email) => newInvitation(tx, actor, offer, { email, maxUses: 1, allowedDomains: [] }))
  const ids = await saveInvitations(tx, invitations)
  await queueInvitationMails(
    tx,
    actor.realmId,
    emails.map((email, at) => ({ id: ids[at] as number, email })),
    offer.lifetimeMinutes,
  )
  await saveInvitationCount(tx, actor, emails.length)
}
