import { createUser } from '#accounts/users.ts'
import { type Channel, requireDescription } from '#channels/channel.ts'
import { createChannel } from '#channels/create-channel.ts'
import { subscribeUsers } from '#channels/subscribe.ts'
import { saveSystemGroups } from '#groups/queries.ts'
import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import type { User } from '#people/users.ts'
import {
  findRealmBySubdomain,
  lockRealm,
  saveRealm,
  saveRealmFields,
  saveRealmSettings,
  saveRedirect,
} from '#realms/queries.ts'
import { isSubdomain, REALM_NAME, type Realm } from '#realms/realm.ts'
import type { RealmSettings } from '#realms/settings.ts'
import { Role } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Creating and renaming organizations. An organization is created ready for use, in one transaction: system groups, a
// channel, and an owner. Its former address leads to it after it was renamed.

/** A channel of a new organization. Its name must be a valid channel name. */
export type InitialChannel = { name: string; description: string }

const invalidSubdomain = refusal(
  'BAD_REQUEST',
  400,
  'A subdomain has 1 to 40 lower-case letters, digits and inner hyphens. Omit it for the root organization.',
  { field: 'subdomain' },
)
const subdomainTaken = refusal(
  'BAD_REQUEST',
  400,
  "There is already an organization with the subdomain '{subdomain}'.",
  { field: 'subdomain' },
)

const rootOrganizationExists = refusal(
  'BAD_REQUEST',
  400,
  'There is already a root organization. Choose a subdomain for this one.',
  { field: 'subdomain' },
)

const invalidRealmName = refusal(
  'BAD_REQUEST',
  400,
  'Organization names cannot contain line breaks or invisible characters',
  { field: 'name' },
)

/** Creates an organization with its system groups, but without users. */
export async function createOrganization(tx: Transaction, subdomain: string, name: string): Promise<Realm> {
  if (!REALM_NAME.test(name)) throw invalidRealmName()
  await requireAvailableSubdomain(tx.db, subdomain)
  const realm = await saveRealm(tx, { subdomain, name })
  await saveSystemGroups(tx, realm.id)
  return realm
}

/** Refuses a subdomain that is invalid or taken. */
export async function requireAvailableSubdomain(db: Db, subdomain: string): Promise<void> {
  if (!isSubdomain(subdomain)) throw invalidSubdomain()
  if ((await findRealmBySubdomain(db, subdomain)) !== null)
    throw subdomain === '' ? rootOrganizationExists() : subdomainTaken({ subdomain })
}

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
  const actorId = tx.origin.by === 'request' ? owner.id : null
  await recordAudit(tx, realm.id, 'organization_created', { actorId })
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

/**
 * Gives an organization another subdomain. The old subdomain redirects to the new one until another organization takes
 * it.
 */
export async function renameOrganization(tx: Transaction, { id }: Pick<Realm, 'id'>, subdomain: string): Promise<void> {
  const realm = await lockRealm(tx, id)
  await requireAvailableSubdomain(tx.db, subdomain)
  await saveRealmFields(tx, id, { subdomain })
  const change = { setting: 'subdomain', from: realm.subdomain, to: subdomain }
  await recordAudit(tx, id, 'organization_changed', change)
  await saveRedirect(tx, id, { from: realm.subdomain, to: subdomain })
}
