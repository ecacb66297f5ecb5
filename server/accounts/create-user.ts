import type { Channel } from '#channels/channel.ts'
import { findDefaultChannels } from '#channels/default-channel-queries.ts'
import { findChannel } from '#channels/queries.ts'
import { subscribeUsers } from '#channels/subscriptions/subscribe-users.ts'
import { saveGroupMembers } from '#groups/queries.ts'
import { endInvitationsToAddress } from '#invitations/manage-invitations.ts'
import { queueMail } from '#mail/outbox.ts'
import { prepareTopicNotice, silentMention } from '#messages/sending/prepare-notices.ts'
import { saveMessage } from '#messages/sending/send-message.ts'
import { requireAvailableEmail } from '#people/users/addresses/available-email.ts'
import { requireFullName } from '#people/users/full-name.ts'
import { type NewUser, saveUser } from '#people/users/queries.ts'
import { findDefaultSettings } from '#people/users/settings/default-settings.ts'
import { requireUniqueName } from '#people/users/unique-name.ts'
import type { User } from '#people/users/user.ts'
import { WELCOME_TEMPLATE } from '#people/users/welcome-email.ts'
import type { Realm } from '#realms/realm.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitUserCreated } from './emit-user-created.ts'

type NewPerson = Omit<NewUser, 'realmId' | 'botType' | 'botOwnerId'>

/** The channels and groups that a new user joins, and the reason for which other invitations to their address end. */
type InitialMemberships = {
  channels: readonly Channel[]
  groupIds: readonly number[]
  invitationsEndAs: 'superseded' | 'registered'
}

/**
 * Creates an account. The organization's default settings apply, unless `person` has others. The account joins the given
 * channels and groups, or the default channels if none are given. Refuses an address or a name that is not allowed. Ends
 * other invitations to the address and announces the new user. Sends a welcome email, if the organization has chosen
 * that.
 */
export async function createUser(
  tx: Transaction,
  realm: Realm,
  person: NewPerson,
  given?: InitialMemberships,
): Promise<User> {
  const fullName = requireFullName(person.fullName)
  await requireUniqueName(tx, realm, fullName)
  const deliveryEmail = await requireAvailableEmail(tx, realm, person.deliveryEmail)
  const settings = { ...(await findDefaultSettings(tx.db, realm.id)), ...person.settings }
  const { channels, groupIds, invitationsEndAs } = given ?? (await findUsualMemberships(tx, realm))

  const user = await saveUser(tx, { ...person, settings, realmId: realm.id, fullName, deliveryEmail })
  for (const id of groupIds) await saveGroupMembers(tx, id, [user.id])
  await emitUserCreated(tx, realm, user)
  if (channels.length > 0) {
    // Messages are saved later in this transaction, so message ids must be reserved before these rows are written:
    // docs/decisions/0002.
    await lockMessageIds(tx)
    await subscribeUsers(tx, realm, [user], channels)
  }
  await endInvitationsToAddress(tx, realm.id, deliveryEmail, invitationsEndAs)
  await announceNewUser(tx, realm, user)
  if (realm.settings.send_welcome_emails) await queueWelcomeMail(tx, user)
  return user
}

/** Returns the initial memberships of a user who was not invited. */
export const findUsualMemberships = async (tx: Transaction, realm: Realm): Promise<InitialMemberships> => ({
  channels: await findDefaultChannels(tx.db, realm.id),
  groupIds: [],
  invitationsEndAs: 'registered',
})

async function queueWelcomeMail(tx: Transaction, { id, realmId, deliveryEmail }: User): Promise<void> {
  await queueMail(tx, { realmId, recipient: deliveryEmail, letter: WELCOME_TEMPLATE, data: { userId: id } })
}

/**
 * Posts a message by the notification bot in the organization's channel for new users. Does nothing if the organization
 * has no such channel.
 */
async function announceNewUser(tx: Transaction, realm: Realm, newUser: User): Promise<void> {
  const channel = await findChannel(tx.db, realm.id, realm.settings.signup_announcements_stream_id)
  if (channel?.archivedAt !== null) return
  const content = `${silentMention(newUser)} joined this organization.`
  await saveMessage(tx, await prepareTopicNotice(tx.db, realm, { channel, topic: 'signups', content }))
}
