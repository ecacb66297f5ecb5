import { createUser } from '#accounts/create-user.ts'
import type { Channel } from '#channels/channel.ts'
import { createChannel } from '#channels/create-channel.ts'
import { requireDescription } from '#channels/description.ts'
import { subscribeUsers } from '#channels/subscriptions/subscribe-users.ts'
import type { User } from '#people/users/user.ts'
import { saveRealmSettings } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { RealmSettings } from '#realms/settings.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { createOrganization } from './create-organization.ts'

/** A channel of a new organization. Its name must be a valid channel name. */
export type InitialChannel = { name: string; description: string }

/** The channel that every organization starts with. */
export const GENERAL_CHANNEL: InitialChannel = {
  name: 'general',
  description: 'For everything without a channel of its own.',
}

type NewOrganization = {
  subdomain: string
  name: string
  owner: { email: string; fullName: string; passwordHash: string | undefined; timezone?: string }
  /** Further channels, in addition to `general`. Their names must be unique. */
  channels?: readonly InitialChannel[]
  /** The settings that differ from their defaults. */
  settings?: Partial<RealmSettings>
}

/**
 * Creates an organization that is ready for use, with an owner. The owner is subscribed to `general` and the further
 * channels, which are all default channels. New channels are announced in `general`.
 */
export async function createOrganizationWithOwner(
  tx: Transaction,
  { subdomain, name, owner: { email, ...person }, channels = [], settings = {} }: NewOrganization,
): Promise<{ realm: Realm; owner: User }> {
  const realm = await createOrganization(tx, subdomain, name)
  await saveRealmSettings(tx, realm.id, settings)
  const owner = await createUser(tx, realm, { ...person, deliveryEmail: email, role: Role.owner })
  const created: Channel[] = []
  for (const channel of [GENERAL_CHANNEL, ...channels])
    created.push(await createInitialChannel(tx, realm, owner, channel))
  await subscribeUsers(tx, realm, [owner], created)
  const announcements = { new_stream_announcements_stream_id: created[0]?.id ?? -1 }
  await saveRealmSettings(tx, realm.id, announcements)
  return { realm: { ...realm, settings: { ...realm.settings, ...settings, ...announcements } }, owner }
}

async function createInitialChannel(tx: Transaction, realm: Realm, owner: User, { name, description }: InitialChannel) {
  return createChannel(tx, realm, {
    name,
    ...requireDescription(description, realm, tx.db.settings.EXTERNAL_URL),
    isPrivate: false,
    isWebPublic: false,
    isHistoryShared: true,
    creatorId: owner.id,
    settings: {},
    isDefault: true,
  })
}
