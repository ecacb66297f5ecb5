import { peersAdded } from '#channels/events.ts'
import { findChannelsById } from '#channels/queries.ts'
import { findSubscribedIds } from '#channels/subscription-status-queries.ts'
import { emitPeerChanges } from '#channels/subscriptions/emit-peer-changes.ts'
import { peersRemoved } from '#channels/subscriptions/events.ts'
import type { UserChannelPair } from '#channels/subscriptions/subscription.ts'
import { endInvitationsOfInviter } from '#invitations/manage-invitations.ts'
import { deleteSessionsOf } from '#people/sessions/queries.ts'
import { findStatuses } from '#people/statuses/queries.ts'
import { statusChanged } from '#people/statuses/status.ts'
import { findActiveBotsOf } from '#people/users/bots/bot-queries.ts'
import { saveUserFields } from '#people/users/queries.ts'
import { isBot, type User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import { deleteQueuesOf } from '#storage/log/delete-queues.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitExportConsent } from './emit-export-consent.ts'
import { emitMembershipChange } from './emit-membership-change.ts'
import { emitBotChange, emitTo, emitUserChange } from './emit-user-events.ts'
import { accountIds, findUserAudience } from './user-audience.ts'

/**
 * Deactivates an account and its bots, and deletes their sessions. Ends the invitations of the account. API keys and
 * messages are kept. Returns the deactivated accounts.
 */
export async function deactivateUser(tx: Transaction, realm: Realm, user: User): Promise<User[]> {
  const accounts = [user, ...(await findActiveBotsOf(tx.db, user.id))]
  for (const account of accounts) await setActive(tx, realm, account, false)
  await endInvitationsOfInviter(tx, realm.id, user.id)
  return accounts
}

/** Reactivates an account. Does nothing if it is active. Its bots have to be reactivated one by one. */
export async function reactivateUser(tx: Transaction, realm: Realm, user: User): Promise<void> {
  if (user.deactivatedAt === null) return
  await setActive(tx, realm, user, true)
  await emitReactivation(tx, realm, user)
  if (!isBot(user)) await emitExportConsent(tx, realm, user)
}

/** Emits the restored subscriptions and status of the account to the other users. */
async function emitReactivation(tx: Transaction, realm: Realm, user: User): Promise<void> {
  await emitPeerChanges(tx, realm, await findSubscriptionPairs(tx, realm, user), peersAdded)
  const { viewers } = await findUserAudience(tx, realm, user)
  for (const [id, status] of await findStatuses(tx.db, [user.id]))
    emitTo(tx, realm, statusChanged(id, status), accountIds(viewers))
}

/**
 * Emits to users who may not see the account that it has left its channels. They get no other event, but see the
 * account in lists of subscribers.
 */
async function emitPeersRemovedToNonViewers(tx: Transaction, realm: Realm, user: User): Promise<void> {
  const { nonViewers } = await findUserAudience(tx, realm, user)
  if (nonViewers.length === 0) return
  await emitPeerChanges(
    tx,
    realm,
    await findSubscriptionPairs(tx, realm, user),
    peersRemoved,
    new Set(accountIds(nonViewers)),
  )
}

async function findSubscriptionPairs(tx: Transaction, realm: Realm, user: User): Promise<UserChannelPair[]> {
  const channels = await findChannelsById(tx.db, realm.id, [...(await findSubscribedIds(tx.db, user.id))])
  return channels.map((channel) => ({ user, channel }))
}

async function setActive(tx: Transaction, realm: Realm, user: User, isActive: boolean): Promise<void> {
  const deactivatedAt = isActive ? null : tx.now
  await saveUserFields(tx, user.id, { deactivatedAt })
  // A deactivated account receives no events, so its event queues cannot continue after a reactivation.
  if (!isActive) {
    await deleteQueuesOf(tx, user.id)
    await deleteSessionsOf(tx, user.id)
  }
  const changed = { ...user, deactivatedAt }
  await emitUserChange(tx, realm, changed, { is_active: isActive })
  if (!isActive) await emitPeersRemovedToNonViewers(tx, realm, changed)
  if (isBot(user)) await emitBotChange(tx, realm, changed, { is_active: isActive })
  await emitMembershipChange(tx, realm, user, changed)
}
