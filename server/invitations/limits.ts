import { lockRealm, lockRealmsSince } from '../realms/queries.ts'
import type { Realm } from '../realms/realm.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import { isAdministrator, Role } from '../users/role.ts'
import type { Actor } from '../users/user.ts'
import { countInvitationsOfNewRealms, countRecentInvitations } from './counts.ts'
import { invitationFailed } from './failure.ts'

const SECONDS_PER_DAY = 86_400

/** Where anybody may join, accounts younger than this may not invite; in days. */
const LEAST_ACCOUNT_AGE = 3

/**
 * Refuses what would exceed the daily limits; they apply where anybody may create organizations. Until the transaction
 * ends nobody else whom the same limit concerns passes it.
 */
export async function requireWithinDailyLimit(tx: Transaction, actor: Actor, count: number): Promise<void> {
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
    const limited = { since: newSince, mostEach: INVITES_NEW_REALM_DAILY_MAX, now }
    isExceeded = (await countInvitationsOfNewRealms(db, limited)) + count > INVITES_NEW_REALM_DAILY_MAX
  }
  if (!isExceeded) return
  throw invitationFailed({
    reason: 'This organization has sent as many invitations as it may in a day. Try again tomorrow.',
    daily_limit_reached: true,
  })
}

/** Refuses what would exceed the number of people that the organization may have: bots and guests are not counted. */
export async function requireLicences(db: Db, actor: Actor, count: number): Promise<void> {
  if (await hasLicences(db, actor.realm, count)) return
  throw invitationFailed({
    reason: 'This organization does not have enough licenses to invite so many people.',
    license_limit_reached: true,
  })
}

/** Whether so many people more may have an account. */
export async function hasLicences(db: Db, realm: Realm, count: number): Promise<boolean> {
  const { license_limit } = realm.settings
  if (license_limit === null) return true
  const row = await db
    .selectFrom('users')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('realmId', '=', realm.id)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .where('role', '!=', Role.guest)
    .executeTakeFirstOrThrow()
  return Number(row.count) + count <= license_limit
}

/** Refuses accounts that are too new, where an organization is open to everybody. */
export function requireSeniority(actor: Actor, now: number): void {
  if (actor.realm.settings.invite_required || isAdministrator(actor)) return
  if (actor.joinedAt + LEAST_ACCOUNT_AGE * SECONDS_PER_DAY <= now) return
  throw invitationFailed({
    reason:
      'Your account is too new to send invites for this organization. Ask an organization admin, or a more experienced user.',
  })
}
