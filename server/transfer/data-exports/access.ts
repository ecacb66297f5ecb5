import { refusal } from '#lib/errors/refusal.ts'
import { findSpaceUsed } from '#messages/attachments/queries.ts'
import { requireAdministrator } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import { type DataExport, findDataExport, findDataExports } from '#realms/export-queries.ts'
import { isAdministrator } from '#rules/role.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { isPending, isStored } from './data-export.ts'
import { hasMoreMessagesThan } from './queries.ts'

/** The maximum number of exports that an organization can start in a week. */
const MAX_EXPORTS = 5
const WEEK = 7 * 86_400

/** The size limits for exports by administrators, as in Zulip. `parley org export` has no limits. */
const MAX_MESSAGES = 250_000
const MAX_UPLOADED_BYTES = 10 * 1024 ** 3

export const exportPending = refusal('BAD_REQUEST', 400, 'An export is already in progress. Wait until it is complete.')
export const tooManyExports = refusal(
  'BAD_REQUEST',
  400,
  'Organizations can start {limit} exports in 7 days. Try again later.',
)
export const tooLargeToExport = refusal(
  'BAD_REQUEST',
  400,
  'This organization is too large to export here. Ask the operator of the server for an export.',
)
export const noSuchExport = refusal('BAD_REQUEST', 400, 'Invalid data export ID')
export const exportDeleted = refusal('BAD_REQUEST', 400, 'Export already deleted')
export const exportFailed = refusal('BAD_REQUEST', 400, 'Export failed, nothing to delete')
export const exportUnfinished = refusal('BAD_REQUEST', 400, 'Export still in progress')
export const noSuchArchive = refusal('BAD_REQUEST', 404, 'This export does not exist or has been deleted.')

export const maySeeExports = (user: { role: number }): boolean => isAdministrator(user)

export async function requireMayExport(db: Db, actor: Actor, now: number): Promise<void> {
  requireAdministrator(actor)
  const exports = await findDataExports(db, actor.realmId)
  if (exports.some(isPending)) throw exportPending()
  const recent = exports.filter(({ requestedAt }) => requestedAt > now - WEEK)
  if (recent.length >= MAX_EXPORTS) throw tooManyExports({ limit: MAX_EXPORTS })
  if ((await findSpaceUsed(db, actor.realmId)) > MAX_UPLOADED_BYTES) throw tooLargeToExport()
  if (await hasMoreMessagesThan(db, actor.realmId, MAX_MESSAGES)) throw tooLargeToExport()
}

export async function requireDeletableExport({ db }: Transaction, actor: Actor, id: number): Promise<DataExport> {
  requireAdministrator(actor)
  const found = await findDataExport(db, actor.realmId, id)
  if (found === null) throw noSuchExport()
  if (found.deletedAt !== null) throw exportDeleted()
  if (found.failedAt !== null) throw exportFailed()
  if (found.finishedAt === null) throw exportUnfinished()
  return found
}

/** Returns the export if the actor may download its archive. */
export async function requireStoredExport(db: Db, actor: Actor, id: number): Promise<DataExport> {
  requireAdministrator(actor)
  const found = await findDataExport(db, actor.realmId, id)
  if (found === null || !isStored(found)) throw noSuchArchive()
  return found
}
