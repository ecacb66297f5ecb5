import { createUser } from '#accounts/change-users.ts'
import { type Channel, requireDescription } from '#channels/channel.ts'
import { createChannel } from '#channels/create-channel.ts'
import { subscribeUsers } from '#channels/subscribe.ts'
import { saveSystemGroups } from '#groups/queries.ts'
import { organizationMoving } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import type { SignInFile } from '#lib/sign-in-file.ts'
import { recordAudit } from '#people/audit.ts'
import type { User } from '#people/users.ts'
import { findPlace, savePlaces } from '#realms/places.ts'
import {
  findRealmBySubdomain,
  findRedirect,
  lockRealm,
  saveRealmFields,
  saveRealmIfFree,
  saveRealmSettings,
  saveRedirect,
} from '#realms/queries.ts'
import { isReservedSubdomain, isSubdomain, MIN_CHOSEN_SUBDOMAIN, REALM_NAME, type Realm } from '#realms/realm.ts'
import type { RealmSettings } from '#realms/realm-settings.ts'
import { Role } from '#rules/role.ts'
import type { Db, Storage, Transaction } from '#storage/storage.ts'

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
export const subdomainTaken = refusal(
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
  const realm = await saveRealmIfFree(tx, { subdomain, name })
  if (realm === null) throw subdomainIsTaken(subdomain)
  await saveSystemGroups(tx, realm.id)
  return realm
}

/** Refuses a subdomain that is invalid or taken. */
export async function requireAvailableSubdomain(db: Db, subdomain: string): Promise<void> {
  if (!isSubdomain(subdomain)) throw invalidSubdomain()
  if (await isInUse(db, subdomain)) throw subdomainIsTaken(subdomain)
}

const isInUse = async (db: Db, subdomain: string): Promise<boolean> =>
  (await findRealmBySubdomain(db, subdomain)) !== null || (await findPlace(db, subdomain)) !== null

const subdomainIsTaken = (subdomain: string) =>
  subdomain === '' ? rootOrganizationExists() : subdomainTaken({ subdomain })

/** Returns whether the operator has declared how people sign in to the organization with this subdomain. */
const isDeclared = ({ providers, saml, ldap, proxy, jwt }: SignInFile, subdomain: string): boolean =>
  [...providers, ...saml, ...ldap, ...(proxy === null ? [] : [proxy])].some(({ organizations }) =>
    organizations?.includes(subdomain),
  ) || jwt.some(({ organization }) => organization === subdomain)

/**
 * Returns why a visitor cannot choose this subdomain; null if they can. Former subdomains of other organizations are
 * taken, because their links and emails are still in use.
 */
export async function findChosenSubdomainProblem(
  db: Db,
  subdomain: string,
): Promise<'malformed' | 'reserved' | 'taken' | null> {
  if (subdomain.length < MIN_CHOSEN_SUBDOMAIN || !isSubdomain(subdomain)) return 'malformed'
  if (isReservedSubdomain(subdomain)) return 'reserved'
  const isTaken =
    (await isInUse(db, subdomain)) ||
    (await findRedirect(db, subdomain)) !== null ||
    Object.values(db.settings.REALM_HOSTS).includes(subdomain) ||
    isDeclared(db.settings.SIGN_IN_FILE, subdomain)
  return isTaken ? 'taken' : null
}

/** Refuses a subdomain that a visitor can no longer choose. */
export async function requireChosenSubdomain(db: Db, subdomain: string): Promise<void> {
  if ((await findChosenSubdomainProblem(db, subdomain)) !== null) throw subdomainIsTaken(subdomain)
}

/** Returns up to three free subdomains that are similar to the name or to the subdomain that a visitor chose. */
export async function suggestSubdomains(db: Db, { name, subdomain }: Record<'name' | 'subdomain', string>) {
  const bases = [subdomain, name].map(toSubdomain).filter((base) => base !== '')
  const candidates = bases.flatMap((base) => [base, `${base}-chat`, `${base}-team`, `${base}-hq`])
  const free: string[] = []
  for (const candidate of new Set(candidates)) {
    if (candidate === subdomain) continue
    if (free.length < 3 && (await findChosenSubdomainProblem(db, candidate)) === null) free.push(candidate)
  }
  return free
}

/** Returns the letters and digits of the text without accents, with hyphens between its words; at most 35. */
const toSubdomain = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 35)
    .replace(/^-+|-+$/g, '')

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
  /** The time at which a demo organization ends. Its owner has no address if `email` is ''. */
  demoEndsAt?: number | null
}

/**
 * Creates an organization that is ready for use, with an owner. The owner is subscribed to `general` and the further
 * channels, which are all default channels. New channels are announced in `general`.
 */
export async function createOrganizationWithOwner(
  tx: Transaction,
  { subdomain, name, owner: { email, ...person }, channels = [], settings = {}, demoEndsAt = null }: NewOrganization,
): Promise<{ realm: Realm; owner: User }> {
  const realm = { ...(await createOrganization(tx, subdomain, name)), demoEndsAt }
  if (demoEndsAt !== null) await saveRealmFields(tx, realm.id, { demoEndsAt })
  await saveRealmSettings(tx, realm.id, settings)
  const hasNoAddress = demoEndsAt !== null && email === ''
  const owner = await createUser(tx, realm, { ...person, deliveryEmail: email, hasNoAddress, role: Role.owner })
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

/**
 * Runs a change of the subdomain of an organization in a database beside the first one, whose directory leads to the new
 * subdomain from then on. Refuses a subdomain that is taken, and any during a move.
 */
export async function renameInDirectory<Result>(
  first: Pick<Storage, 'db' | 'transaction'>,
  { from, to }: { from: string; to: string },
  rename: () => Promise<Result>,
): Promise<Result> {
  const [own, taken] = [await findPlace(first.db, from), await findPlace(first.db, to)]
  if (own === null || own.movingSince !== null) throw organizationMoving()
  if (taken?.database !== own.database) await requireAvailableSubdomain(first.db, to)
  await first.transaction((tx) => savePlaces(tx, [to], own))
  try {
    return await rename()
  } catch (error) {
    await first.transaction((tx) => savePlaces(tx, [to], taken ?? { database: 0, movingSince: null }))
    throw error
  }
}
