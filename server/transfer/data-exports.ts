import { z } from 'zod'
import { findActiveUsers } from '#channels/audience.ts'
import { authMethodOf } from '#http/authentication.ts'
import { type CallerServices, originOf, requireActor, withApiRefusals } from '#http/caller.ts'
import { endpoint, type Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { fileResponse } from '#http/responses.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import { refusal } from '#lib/errors.ts'
import { ownField, withoutOwnFields } from '#lib/protocol.ts'
import { hashSecret } from '#lib/secrets.ts'
import { findSpaceUsed } from '#messages/attachments.ts'
import { redirectToStore } from '#messages/files.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { findRealmUsers } from '#people/user-queries.ts'
import { type Actor, isBot } from '#people/users.ts'
import {
  type DataExport,
  findDataExport,
  findDataExports,
  OWN_DATA,
  saveDataExport,
  saveDataExportFields,
} from '#realms/export-records.ts'
import { lockRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { isAdministrator } from '#rules/role.ts'
import { DATA_EXPORTS } from '#storage/files.ts'
import { type Db, type Transaction, withOrigin } from '#storage/storage.ts'
import { requireFreeSpace, tooLittleSpace } from './free-space.ts'

/** Days after which an archive is deleted, unless an administrator deletes it earlier. */
export const DAYS_KEPT = 7

/** Returns when the archive of a finished export expires. */
export const expiryOf = (finishedAt: number): number => finishedAt + DAYS_KEPT * 86_400

// Exports that administrators request: the endpoints and the page that serves finished archives. An archive is served
// only to administrators of its organization; one of a user's own data, only to that user. The scope of an export decides whose private data it contains.

/**
 * The parts of an organization that can be exported. `public` contains the public channels with their messages.
 * `consented` also contains the private data of users who consent, and the private messages that they can read.
 */
export const exportScopes = ['everything', 'public', 'consented'] as const

export type ExportScope = (typeof exportScopes)[number]

/** The types of exports by their numbers in the API. */
const SCOPES: Readonly<Record<number, ExportScope>> = { 1: 'public', 2: 'consented' }

const exportType = z.union([z.literal(1), z.literal(2)])

export function scopeOf({ type }: Pick<DataExport, 'type'>): ExportScope {
  const scope = SCOPES[type]
  if (scope === undefined) throw new Error(`No export has the type ${type}`)
  return scope
}

export const isPending = ({ finishedAt, failedAt }: DataExport): boolean => finishedAt === null && failedAt === null

/** Returns whether there is an archive to download. */
export const isStored = ({ finishedAt, deletedAt }: DataExport): boolean => finishedAt !== null && deletedAt === null

/** Returns the name of the archive in the file store. */
export const archiveName = ({ realmId, file }: DataExport): string => `${DATA_EXPORTS}/${realmId}/${file}.tar.gz`

/** Returns the name under which browsers save the archive. */
const downloadName = ({ type, requestedAt }: DataExport): string =>
  `parley-${type === OWN_DATA ? 'my-data' : 'export'}-${new Date(requestedAt * 1000).toISOString().slice(0, 10)}.tar.gz`

/** Matches the path of an archive. The groups are the id of the organization and the id of the export. */
const ARCHIVE_PATH = /^\/user_avatars\/exports\/(\d{1,15})\/(\d{1,15})\/[^/]+$/

export const dataExportJson = z.strictObject({
  id: z.int(),
  acting_user_id: z.int().describe('The user who requested it.'),
  export_time: z.number().describe('The time of the request.'),
  deleted_timestamp: z.number().nullable(),
  failed_timestamp: z.number().nullable(),
  export_url: z
    .string()
    .nullable()
    .describe('The archive, which only administrators can download. Null if there is none.'),
  pending: z.boolean(),
  export_type: z.int().describe('1: public data. 2: also the private data of users who consent.'),
  size: ownField(
    z
      .int()
      .nullable()
      .optional()
      .describe('The size of the archive in bytes, with `include_size` or the capability `parley_extensions`.'),
  ),
})

/** Returns the URL of the archive; null if there is none. */
export const archiveUrl = (given: DataExport, realm: Realm, externalUrl: string): string | null =>
  isStored(given)
    ? `${realmAddress(realm.subdomain, externalUrl).url}/user_avatars/exports/${given.realmId}/${given.id}/${downloadName(given)}`
    : null

function toDataExportJson(given: DataExport, realm: Realm, externalUrl: string): z.infer<typeof dataExportJson> {
  return {
    id: given.id,
    acting_user_id: given.actorId,
    export_time: given.requestedAt,
    deleted_timestamp: given.deletedAt,
    failed_timestamp: given.failedAt,
    export_url: archiveUrl(given, realm, externalUrl),
    pending: isPending(given),
    export_type: given.type,
    size: given.bytes,
  }
}

/** Returns the export for clients that know only the fields of the reference server. */
export const toReferenceExport = (given: z.infer<typeof dataExportJson>): z.infer<typeof dataExportJson> =>
  withoutOwnFields(dataExportJson.shape, given)

/** Returns whether the organization has more than `limit` messages. Reads no further messages. */
async function hasMoreMessagesThan(db: Db, realmId: number, limit: number): Promise<boolean> {
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('realmId', '=', realmId)
    .orderBy('id')
    .offset(limit)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The maximum number of exports that an organization can start in a week. */
const MAX_EXPORTS = 5
const WEEK = 7 * 86_400

/** The size limits for exports by administrators, as in Zulip. `parley org export` has no limits. */
const MAX_MESSAGES = 250_000
const MAX_UPLOADED_BYTES = 10 * 1024 ** 3

export const exportPending = refusal('BAD_REQUEST', 400, 'An export is already in progress. Wait until it is complete.')
const tooManyExports = refusal(
  'BAD_REQUEST',
  400,
  'Organizations can start {limit} exports in 7 days. Try again later.',
)
const tooLargeToExport = refusal(
  'BAD_REQUEST',
  400,
  'This organization is too large to export here. Ask the operator of the server for an export.',
)
const noSuchExport = refusal('BAD_REQUEST', 400, 'Invalid data export ID')
const exportDeleted = refusal('BAD_REQUEST', 400, 'Export already deleted')
const exportFailed = refusal('BAD_REQUEST', 400, 'Export failed, nothing to delete')
const exportUnfinished = refusal('BAD_REQUEST', 400, 'Export still in progress')
const noSuchArchive = refusal('BAD_REQUEST', 404, 'This export does not exist or has been deleted.')

const maySeeExports = (user: { role: number }): boolean => isAdministrator(user)

async function requireMayExport(db: Db, actor: Actor, now: number): Promise<void> {
  requireAdministrator(actor)
  const exports = await findDataExports(db, actor.realmId)
  if (exports.some(isPending)) throw exportPending()
  const recent = exports.filter(({ requestedAt }) => requestedAt > now - WEEK)
  if (recent.length >= MAX_EXPORTS) throw tooManyExports({ limit: MAX_EXPORTS })
  if ((await findSpaceUsed(db, actor.realmId)) > MAX_UPLOADED_BYTES) throw tooLargeToExport()
  if (await hasMoreMessagesThan(db, actor.realmId, MAX_MESSAGES)) throw tooLargeToExport()
}

async function requireDeletableExport({ db }: Transaction, actor: Actor, id: number): Promise<DataExport> {
  requireAdministrator(actor)
  const found = await findDataExport(db, actor.realmId, id)
  if (found === null || found.type === OWN_DATA) throw noSuchExport()
  if (found.deletedAt !== null) throw exportDeleted()
  if (found.failedAt !== null) throw exportFailed()
  if (found.finishedAt === null) throw exportUnfinished()
  return found
}

/** Returns the export if the actor may download its archive. */
async function requireStoredExport(db: Db, actor: Actor, id: number): Promise<DataExport> {
  const found = await findDataExport(db, actor.realmId, id)
  const isOwn = found?.type === OWN_DATA && found.actorId === actor.id
  if (!isOwn) requireAdministrator(actor)
  if (found === null || (found.type === OWN_DATA && !isOwn) || !isStored(found)) throw noSuchArchive()
  return found
}

/** Emits the list of all exports to administrators. */
export async function emitDataExports(tx: Transaction, realm: Realm): Promise<void> {
  const { all } = await findActiveUsers(tx.db, realm.id)
  const exports = await findDataExports(tx.db, realm.id)
  tx.emit(
    realm.id,
    {
      type: 'realm_export',
      exports: exports.map((one) => toDataExportJson(one, realm, tx.db.settings.EXTERNAL_URL)),
    },
    all.filter(maySeeExports).map(({ id }) => id),
  )
}

/** Requests an export. The export job makes it after the commit. */
async function requestExport(tx: Transaction, actor: Actor, type: number): Promise<DataExport> {
  const realm = await lockRealm(tx, actor.realmId)
  await requireMayExport(tx.db, actor, tx.now)
  const file = tx.random.bytes(18).toString('base64url')
  const saved = await saveDataExport(tx, { realmId: realm.id, actorId: actor.id, type, file })
  await recordAudit(tx, realm.id, 'export_started', { scope: scopeOf({ type }) })
  await emitDataExports(tx, realm)
  return saved
}

/** Marks an export as deleted. The caller deletes its archive after the transaction. */
async function deleteExport(tx: Transaction, actor: Actor, id: number): Promise<DataExport> {
  const realm = await lockRealm(tx, actor.realmId)
  const found = await requireDeletableExport(tx, actor, id)
  await saveDataExportFields(tx, id, { deletedAt: tx.now })
  await recordAudit(tx, realm.id, 'export_deleted', { scope: scopeOf(found) })
  await emitDataExports(tx, realm)
  return found
}

const recordDownload = (tx: Transaction, { id, realmId }: Actor, found: DataExport): Promise<void> =>
  found.type === OWN_DATA
    ? recordAudit(tx, realmId, 'own_data_downloaded', { targetId: id })
    : recordAudit(tx, realmId, 'export_downloaded', { scope: scopeOf(found) })

type PageServices = CallerServices & Pick<Services, 'db' | 'files' | 'transaction'>

/**
 * Serves the archives of exports to administrators of their organization, and those of users' own data to these users.
 * Returns null for other paths.
 */
export function archivePages(services: PageServices): (request: HttpRequest) => Promise<HttpResponse> | null {
  const { db, files, transaction } = services
  return (request) => {
    const { method, path } = request
    const [, realmId, id] = ARCHIVE_PATH.exec(path) ?? []
    if ((method !== 'GET' && method !== 'HEAD') || id === undefined) return null
    return withApiRefusals(services, request, async (headers) => {
      const { actor } = await requireActor(services, request, headers, { authMethod: authMethodOf(request) })
      const found = await requireStoredExport(db, actor, Number(id))
      const name = archiveName(found)
      const size = Number(realmId) === actor.realmId ? await files.findSize(name) : null
      if (size === null) throw noSuchArchive()
      if (method === 'GET')
        await withOrigin(transaction, originOf(services, request, actor.id))((tx) => recordDownload(tx, actor, found))
      const fileHeaders = {
        'content-type': 'application/gzip',
        'content-disposition': `attachment; filename="${downloadName(found)}"`,
        'content-security-policy': CONTENT_POLICIES.sandboxed,
        'cache-control': 'private, no-store',
      }
      const redirect = await redirectToStore(services, request, name, fileHeaders)
      if (redirect !== null) return redirect
      return fileResponse(request, {
        size,
        etag: `"${hashSecret(name).slice(0, 32)}"`,
        headers: fileHeaders,
        open: (range) => files.stream(name, range),
      })
    })
  }
}

const listExports = endpoint({
  route: 'GET /export/realm',
  summary: 'List the exports of the organization',
  description:
    'Includes failed and deleted exports. The oldest comes first. Archives are deleted after 7 days. Requires an ' +
    'administrator.',
  who: 'user',
  params: { include_size: z.boolean().default(false).describe('Whether to include the size of each archive.') },
  returns: { exports: z.array(dataExportJson) },
  refuses: [mustBeAdministrator],
  async handle({ db, actor, settings }, { include_size }) {
    requireAdministrator(actor)
    const exports = await findDataExports(db, actor.realmId)
    const inWireFormat = exports.map((one) => toDataExportJson(one, actor.realm, settings.EXTERNAL_URL))
    return { exports: include_size ? inWireFormat : inWireFormat.map(toReferenceExport) }
  },
})

const startExport = endpoint({
  route: 'POST /export/realm',
  summary: 'Export the organization',
  description:
    'Requires an administrator. The export is made in the background, one at a time, and at most 5 in 7 days. ' +
    'A `realm_export` event and a direct message tell you when it has ended.',
  who: 'user',
  params: {
    export_type: exportType
      .default(1)
      .describe('1: public channels and their messages. 2: also the private data of users who allow it.'),
  },
  returns: { id: z.int() },
  refuses: [mustBeAdministrator, exportPending, tooManyExports, tooLargeToExport, tooLittleSpace],
  async handle(call, { export_type }) {
    const { db, transaction, actor, files, clock } = call
    await requireMayExport(db, actor, clock.now())
    await requireFreeSpace(db, files, actor.realmId)
    const { id } = await transaction((tx) => requestExport(tx, actor, export_type))
    return { id }
  },
})

const deleteExportEndpoint = endpoint({
  route: 'DELETE /export/realm/{export_id}',
  summary: 'Delete an export',
  description: 'Requires an administrator. The archive can no longer be downloaded; the export stays in the list.',
  who: 'user',
  refuses: [mustBeAdministrator, noSuchExport, exportDeleted, exportFailed, exportUnfinished],
  async handle(call, { export_id }) {
    const { transaction, actor, files } = call
    const deleted = await transaction((tx) => deleteExport(tx, actor, export_id))
    await files.delete(archiveName(deleted))
    return {}
  },
})

const listExportConsents = endpoint({
  route: 'GET /export/realm/consents',
  summary: 'List users with their consent to the export of their private data',
  description: 'All active users except bots. Requires an administrator.',
  who: 'user',
  returns: { export_consents: z.array(z.strictObject({ user_id: z.int(), consented: z.boolean() })) },
  refuses: [mustBeAdministrator],
  async handle({ db, actor }) {
    requireAdministrator(actor)
    const users = await findRealmUsers(db, actor.realmId)
    const people = users.filter((user) => !isBot(user) && user.deactivatedAt === null)
    return {
      export_consents: people.map(({ id, settings }) => ({
        user_id: id,
        consented: settings.allow_private_data_export,
      })),
    }
  },
})

export const dataExportEndpoints = [listExports, startExport, deleteExportEndpoint, listExportConsents]
