import { hasUsablePassword } from '#accounts/password-checks.ts'
import { findConnectionsOf } from '#identity/external-identities.ts'
import { findSignInMethods, toConnections } from '#identity/providers.ts'
import { refusal } from '#lib/errors.ts'
import { type Job, openDueJob, type PeriodicTaskOptions } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import type { Random } from '#lib/secrets.ts'
import { toBase32 } from '#lib/secrets.ts'
import { requireOwner } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor, User } from '#people/users.ts'
import { findNextEndOfDemo, lockRealm, saveRealmFields, saveRedirect } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db, RunTransaction, Storage, Transaction } from '#storage/storage.ts'
import { createOrganizationWithOwner, findChosenSubdomainProblem, renameInDirectory } from './create-organization.ts'
import { DEMO_LIFETIME, deactivateOrganization } from './deactivation.ts'

// Demo organizations: anyone creates them without an email address, if the operator allows it. They are deactivated after
// 30 days, unless an owner adds an address and a permanent subdomain before.

/** The number of random bytes in the subdomain of a demo organization. */
const SUBDOMAIN_BYTES = 10

const randomSubdomain = (random: Random) => `demo-${toBase32(random.bytes(SUBDOMAIN_BYTES)).toLowerCase()}`

/** Creates a demo organization. Its owner has neither an address nor a password. */
export async function createDemoOrganization(tx: Transaction): Promise<{ realm: Realm; owner: User }> {
  return createOrganizationWithOwner(tx, {
    subdomain: randomSubdomain(tx.random),
    name: 'Demo organization',
    owner: { email: '', fullName: 'Demo owner', passwordHash: undefined },
    demoEndsAt: tx.now + DEMO_LIFETIME,
  })
}

const notDemo = refusal('BAD_REQUEST', 400, 'Must be a demo organization.', { field: 'string_id' })
const ownerHasNoAddress = refusal('BAD_REQUEST', 400, 'Add an email address to your account first.', {
  field: 'string_id',
})
const ownerCannotSignIn = refusal(
  'BAD_REQUEST',
  400,
  'Choose a password first, under Settings → Account and privacy.',
  {
    field: 'string_id',
  },
)
const subdomainNotAvailable = refusal('BAD_REQUEST', 400, 'This subdomain is {problem}. Choose another one.', {
  field: 'string_id',
})

export const conversionRefusals = [notDemo, ownerHasNoAddress, ownerCannotSignIn, subdomainNotAvailable]

/** Makes a demo organization permanent, with another subdomain. The caller holds its lock, and has checked the role. */
export async function convertDemoOrganization(
  tx: Transaction,
  actor: Actor,
  realm: Realm,
  subdomain: string,
): Promise<void> {
  if (realm.demoEndsAt === null) throw notDemo()
  if ((await findUser(tx.db, actor.id))?.deliveryEmail === '') throw ownerHasNoAddress()
  const problem = await findChosenSubdomainProblem(tx.db, subdomain)
  if (problem !== null) throw subdomainNotAvailable({ problem })
  if (!(await canSignIn(tx.db, actor, { ...realm, subdomain }))) throw ownerCannotSignIn()
  await saveRealmFields(tx, realm.id, { subdomain, demoEndsAt: null })
  await saveRedirect(tx, realm.id, { from: realm.subdomain, to: subdomain })
  const record = (setting: string, from: string | number | null, to: string | null) =>
    recordAudit(tx, realm.id, 'organization_changed', { setting, from, to })
  await record('subdomain', realm.subdomain, subdomain)
  await record('demo_organization_scheduled_deletion_date', realm.demoEndsAt, null)
}

/** Runs `change`, which makes a demo organization permanent. The directory of several databases learns its subdomain. */
export async function convertInDirectory<Result>(
  { actor, directory }: { actor: Actor; directory?: Pick<Storage, 'db' | 'transaction'> },
  subdomain: string | undefined,
  change: () => Promise<Result>,
): Promise<Result> {
  const { realm } = actor
  if (subdomain === undefined || realm.demoEndsAt === null || directory === undefined) return change()
  requireOwner(actor)
  const problem = await findChosenSubdomainProblem(directory.db, subdomain)
  if (problem !== null) throw subdomainNotAvailable({ problem })
  return renameInDirectory(directory, { from: realm.subdomain, to: subdomain }, change)
}

/** Returns whether the owner can sign in at the new address. Passkeys belong to the old one. */
async function canSignIn(db: Db, { id }: Actor, realm: Realm): Promise<boolean> {
  if (await hasUsablePassword(db, { id, realm })) return true
  const connections = toConnections(await findSignInMethods(db, realm), await findConnectionsOf(db, id))
  return connections.some(({ isOffered }) => isOffered)
}

/** Opens the job that deactivates demo organizations when their time is over. */
export const openDemoJob = ({
  db,
  transaction,
  ...options
}: Pick<PeriodicTaskOptions, 'clock' | 'isResponsible'> & { db: Db; transaction: RunTransaction; log: Log }): Job =>
  openDueJob({
    ...options,
    findNext: () => findNextEndOfDemo(db),
    handle: ({ realmId }) =>
      transaction(async (tx) => {
        const realm = await lockRealm(tx, realmId)
        if (realm.demoEndsAt !== null && realm.demoEndsAt <= tx.now) await deactivateOrganization(tx, realm, null)
      }),
    failureMessage: 'Failed to deactivate a demo organization',
  })
