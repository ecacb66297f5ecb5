import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { findRecipientsSince } from '#mail/queries.ts'
import { hasLicenses } from '#people/limits.ts'
import { lockEmailAddresses } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { lockRealm, lockRealmsSince } from '#realms/queries.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { INVITATION_TEMPLATE } from '../mails.ts'
import { invitationFailed, maxInvitationsPerDay, type SkippedAddress } from './access.ts'
import { countInvitationsOfInviter, countInvitationsOfNewRealms, countRecentInvitations } from './count-queries.ts'

/**
 * Refuses if `count` more invitations would exceed the daily limit of the organization or of the user. Until the
 * transaction ends, other transactions wait before they check the same limits.
 */
export async function requireWithinDailyLimit(tx: Transaction, actor: Actor, count: number): Promise<void> {
  await requireWithinRealmLimit(tx, actor, count)
  await requireWithinInviterLimit(tx, actor, count)
}

/**
 * Refuses if `count` more invitations would exceed the organization's limit, or the limit that new organizations share.
 * These limits apply only on servers where anyone can create organizations.
 */
async function requireWithinRealmLimit(tx: Transaction, actor: Actor, count: number): Promise<void> {
  const { db, now } = tx
  const { OPEN_REALM_CREATION, INVITES_NEW_REALM_DAYS, INVITES_NEW_REALM_DAILY_MAX } = db.settings
  if (!OPEN_REALM_CREATION) return
  const { createdAt, settings } = actor.realm
  const newSince = now - INVITES_NEW_REALM_DAYS * SECONDS_PER_DAY
  const isNew = createdAt > newSince && settings.max_invites <= INVITES_NEW_REALM_DAILY_MAX
  if (isNew) await lockRealmsSince(tx, newSince)
  else await lockRealm(tx, actor.realmId)
  let isExceeded = (await countRecentInvitations(db, actor.realmId, now)) + count > settings.max_invites
  if (!isExceeded && isNew) {
    const limited = { since: newSince, maxPerRealm: INVITES_NEW_REALM_DAILY_MAX, now }
    isExceeded = (await countInvitationsOfNewRealms(db, limited)) + count > INVITES_NEW_REALM_DAILY_MAX
  }
  if (!isExceeded) return
  throw invitationFailed({
    reason: 'This organization has reached its daily limit of invitations. Try again tomorrow.',
    daily_limit_reached: true,
  })
}

async function requireWithinInviterLimit(tx: Transaction, actor: Actor, count: number): Promise<void> {
  const limit = maxInvitationsPerDay(tx.db.settings, actor)
  if (limit === null) return
  await lockEmailAddresses(tx, actor.realmId)
  const left = Math.max(0, limit - (await countInvitationsOfInviter(tx.db, actor.id, tx.now)))
  if (count <= left) return
  throw invitationFailed({
    reason:
      `You can send ${limit} invitations a day, and you have ${left} left today. ` +
      'No invites were sent. Invite fewer people, or try again tomorrow.',
    daily_limit_reached: true,
  })
}

/** Returns how many more invitations the user may send by email today; null if there is no limit. */
export async function countInvitationsLeft(db: Db, actor: Actor, now: number): Promise<number | null> {
  const limits: number[] = []
  const inviterLimit = maxInvitationsPerDay(db.settings, actor)
  if (inviterLimit !== null) limits.push(inviterLimit - (await countInvitationsOfInviter(db, actor.id, now)))
  if (db.settings.OPEN_REALM_CREATION)
    limits.push(actor.realm.settings.max_invites - (await countRecentInvitations(db, actor.realmId, now)))
  return limits.length === 0 ? null : Math.max(0, Math.min(...limits))
}

/**
 * Returns those of the addresses to which the organization sent an invitation in the last few minutes, each with a
 * reason to skip it. Until the transaction ends, no other transaction can invite any of the addresses.
 */
export async function findRecentlyInvited(
  tx: Transaction,
  actor: Actor,
  emails: readonly string[],
): Promise<SkippedAddress[]> {
  const { INVITES_ADDRESS_PAUSE_MINUTES: pause } = tx.db.settings
  if (pause === 0 || emails.length === 0) return []
  await lockEmailAddresses(tx, actor.realmId)
  const mails = { realmId: actor.realmId, letter: INVITATION_TEMPLATE, since: tx.now - pause * 60 }
  const mailed = await findRecipientsSince(tx.db, mails, emails)
  const reason = `An invitation was sent less than ${pause} minutes ago.`
  return emails.flatMap((email): SkippedAddress[] => (mailed.has(email.toLowerCase()) ? [[email, reason, false]] : []))
}

/** Refuses if an invitation was sent to the address in the last few minutes. */
export async function requireNotRecentlyInvited(tx: Transaction, actor: Actor, email: string): Promise<void> {
  const errors = await findRecentlyInvited(tx, actor, [email])
  if (errors.length > 0)
    throw invitationFailed({ reason: `An invitation was sent to ${email} a few minutes ago. Try again later.`, errors })
}

/** Refuses if the organization does not have licenses for `count` more users. Bots and guests need no license. */
export async function requireLicenses(db: Db, actor: Actor, count: number): Promise<void> {
  if (await hasLicenses(db, actor.realm, count)) return
  throw invitationFailed({
    reason: 'This organization does not have enough licenses to invite so many people.',
    license_limit_reached: true,
  })
}
