import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import { isSystemBotAddress } from '#people/bots.ts'
import { findEmailProblem, findJoiningRules, splitAddresses } from '#people/email-addresses.ts'
import { findUsersByDeliveryEmail, lockEmailAddresses } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { InvitationOptions } from './invitation.ts'
import { queueInvitationMails } from './invitation-emails.ts'
import {
  findRecentlyInvited,
  invitationFailed,
  requireAccountAge,
  requireActiveInviter,
  requireGrantableChannels,
  requireGrantableGroups,
  requireLicenses,
  requireMayInvite,
  requireMayInviteAs,
  requireWithinDailyLimit,
  type SkippedAddress,
} from './inviting/access.ts'
import { saveInvitationCount } from './inviting/count-queries.ts'
import { invitationParams, invitationRefusals, toInvitationOptions } from './inviting/invitation-params.ts'
import { emitInvitationsChanged } from './manage-invitations.ts'
import { newInvitation, saveInvitations } from './queries.ts'

// Inviting people by email. Either every address that has no account gets an invitation, or none does.

const noAddress = refusal('BAD_REQUEST', 400, 'You must specify at least one email address.', {
  field: 'invitee_emails',
})
const tooManyAddresses = refusal(
  'BAD_REQUEST',
  400,
  'You can invite at most {limit} email addresses at once. No invites were sent.',
  { field: 'invitee_emails' },
)

/**
 * The maximum number of addresses in one request. It is limited, because the server handles no other request while it
 * saves them.
 */
const MAX_ADDRESSES = 1000

/**
 * Sends an invitation with its own link to every address in `addresses` that has no account. Addresses that have an
 * account are skipped and returned. The whole request is refused if no address is left, or for any other problem, such
 * as an invitation that was sent a few minutes ago.
 */
export async function sendInvitations(
  tx: Transaction,
  actor: Actor,
  addresses: string,
  options: InvitationOptions,
): Promise<SkippedAddress[]> {
  const viewer = viewerOf(tx.db, actor, tx.now)
  await requireMayInvite(viewer, 'email')
  requireMayInviteAs(actor, options.role)
  const emails = splitAddresses(addresses)
  if (emails.length === 0) throw noAddress()
  if (emails.length > MAX_ADDRESSES) throw tooManyAddresses({ limit: MAX_ADDRESSES })
  await requireGrantableChannels(viewer, options.channelIds)
  await requireGrantableGroups(viewer, options.groupIds)
  // The locks below make the transaction bypass the cache of the organization's users, who are the audience.
  await emitInvitationsChanged(tx, actor.realmId, [actor.id])
  await requireWithinDailyLimit(tx, actor, emails.length)
  await requireLicenses(tx.db, actor, emails.length)
  requireAccountAge(actor, tx.now)

  const invalid = await findInvalidAddresses(tx.db, actor, emails)
  // If a user is joining with one of these addresses at the same time, either this transaction sees the account, or
  // joining ends this invitation.
  await lockEmailAddresses(tx, actor.realmId)
  // PostgreSQL gets these statements together, so that they take one round trip.
  const valid = withoutSkipped(emails, invalid)
  const [existing, invitedBefore] = await Promise.all([
    findExistingAccounts(tx.db, actor, valid),
    findRecentlyInvited(tx, actor, valid),
    requireActiveInviter(tx, actor),
  ])
  if (invalid.length > 0)
    throw invitationFailed({
      reason: "Some emails did not validate, so we didn't send any invitations.",
      errors: [...invalid, ...existing],
    })
  const invitees = withoutSkipped(emails, existing)
  if (invitees.length === 0) throw invitationFailed({ reason: "We weren't able to invite anyone.", errors: existing })
  const recentlyInvited = invitedBefore.filter(([email]) => invitees.includes(email))
  if (recentlyInvited.length > 0)
    throw invitationFailed({
      reason: "Some people were sent an invitation a few minutes ago, so we didn't send any invitations.",
      errors: [...recentlyInvited, ...existing],
    })

  await saveAndMail(tx, actor, invitees, options)
  return existing
}

async function findInvalidAddresses(db: Db, actor: Actor, emails: readonly string[]): Promise<SkippedAddress[]> {
  const rules = await findJoiningRules(db, actor.realm)
  return emails.flatMap((email): SkippedAddress[] => {
    const problem = findEmailProblem(rules, email)
    return problem === null ? [] : [[email, problem, false]]
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

function withoutSkipped(emails: readonly string[], skipped: readonly SkippedAddress[]): string[] {
  const left = new Set(skipped.map(([email]) => email))
  return emails.filter((email) => !left.has(email))
}

async function saveAndMail(
  tx: Transaction,
  actor: Actor,
  emails: readonly string[],
  options: InvitationOptions,
): Promise<void> {
  const invitations = emails.map((email) =>
    newInvitation(tx, actor, options, { email, maxUses: 1, allowedDomains: [] }),
  )
  const ids = await saveInvitations(tx, invitations)
  await queueInvitationMails(
    tx,
    actor.realmId,
    emails.map((email, at) => ({ id: ids[at] as number, email })),
    options.lifetimeMinutes,
  )
  saveInvitationCount(tx, actor, emails.length)
  await recordAudit(tx, actor.realmId, 'invitations_sent', { emails: [...emails], role: options.role })
}

/**
 * The maximum number of units of work that a request is charged for. Without it, inviting a whole organization would
 * delay the user's next request.
 */
const MAX_UNITS = 250

export const sendInvitationsEndpoint = endpoint({
  route: 'POST /invites',
  summary: 'Send invitations',
  description:
    'Invites people by email, each with their own link. If some addresses already have an account, the ' +
    'others are still invited, and the error INVITATION_FAILED has `sent_invitations` true.',
  who: 'member',
  params: {
    invitee_emails: z.string().describe('Email addresses, separated by commas or line feeds.'),
    ...invitationParams,
  },
  refuses: [...invitationRefusals, noAddress, tooManyAddresses, invitationFailed],
  async handle(call, params) {
    const { transaction, actor, settings } = call
    call.charge(Math.min(MAX_UNITS, splitAddresses(params.invitee_emails).length))
    const options = toInvitationOptions(params, settings.INVITATION_LINK_VALIDITY_MINUTES)

    const skipped = await transaction((tx) => sendInvitations(tx, actor, params.invitee_emails, options))

    if (skipped.length > 0)
      throw invitationFailed({
        reason:
          "Some of those addresses are already using Parley, so we didn't send them an invitation. We did send invitations to everyone else!",
        errors: skipped,
        sent_invitations: true,
      })
    return {}
  },
})
