import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import {
  type DataExport,
  findOwnDataExports,
  OWN_DATA,
  saveDataExport,
  saveDataExportFields,
} from '#realms/export-records.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { FileStore } from '#storage/files.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { archiveName, archiveUrl, expiryOf, exportPending, isPending, isStored } from './data-exports.ts'
import { archiveFolder } from './export-organization.ts'
import { exportPersonFiles, exportPersonRows, type PersonCounts } from './exporting/person.ts'
import { requireFreeSpace, tooLittleSpace } from './free-space.ts'

// The archive of a user's own data: the user requests it, the export job makes it, and only the user downloads it, until
// it expires. It contains what the server stores of the user, and the direct messages that they received, which are
// theirs to read, too. Channel messages of other people are not in it. What the application hides from the user is not in
// it either: earlier versions of messages of others where the organization hides them, and the places of own messages that
// were moved to where the user may not read.

type PersonExport = {
  transaction: RunTransaction
  files: FileStore
  findRealm: (db: Db) => Promise<Realm>
  userId: number
  signal?: AbortSignal | undefined
  onProgress?: ((what: string, done: number) => void) | undefined
}

/** Writes the user's data to the empty folder. All rows are from the same moment; files are copied afterwards. */
export async function exportPerson(options: PersonExport & { folder: string }): Promise<PersonCounts> {
  const { counts, files } = await options.transaction(
    async ({ db, now }) => {
      const [user, realm] = [await findUser(db, options.userId), await options.findRealm(db)]
      if (user === null || user.realmId !== realm.id) throw new Error('The account does not exist')
      return exportPersonRows(viewerOf(db, { ...user, realm }, now), options)
    },
    { isSnapshot: true },
  )
  return { ...counts, files: await exportPersonFiles(options.files, files, options) }
}

/** Writes the user's data as an archive to `path`, which must not exist yet. */
export const exportPersonArchive = (path: string, options: PersonExport): Promise<PersonCounts> =>
  archiveFolder(path, options.signal, (folder) => exportPerson({ ...options, folder }))

const requestedToday = refusal('BAD_REQUEST', 400, 'You can request your data once a day. Try again later.')
const noArchive = refusal('BAD_REQUEST', 400, 'There is no archive of your data to delete.')

const personalDataJson = z.strictObject({
  requested_at: z.number(),
  pending: z.boolean(),
  failed: z.boolean(),
  url: z.string().nullable().describe('The archive, which only you can download. Null if there is none.'),
  expires_at: z.number().nullable().describe('The time at which the archive is deleted.'),
  size: z.int().nullable().describe('The size of the archive in bytes.'),
})

function toPersonalDataJson(given: DataExport, realm: Realm, externalUrl: string): z.infer<typeof personalDataJson> {
  return {
    requested_at: given.requestedAt,
    pending: isPending(given),
    failed: given.failedAt !== null,
    url: archiveUrl(given, realm, externalUrl),
    expires_at: isStored(given) ? expiryOf(given.finishedAt ?? 0) : null,
    size: given.bytes,
  }
}

/** Refuses a second archive while one is being made, and within a day. A failed one does not count. */
async function requireMayRequest(db: Db, actor: Actor, now: number): Promise<void> {
  const earlier = await findOwnDataExports(db, actor.id)
  if (earlier.some(isPending)) throw exportPending()
  if (earlier.some(({ requestedAt, failedAt }) => failedAt === null && requestedAt > now - SECONDS_PER_DAY))
    throw requestedToday()
}

async function requestPersonalData(tx: Transaction, actor: Actor): Promise<void> {
  await lockRealm(tx, actor.realmId)
  await requireMayRequest(tx.db, actor, tx.now)
  const file = tx.random.bytes(18).toString('base64url')
  await saveDataExport(tx, { realmId: actor.realmId, actorId: actor.id, type: OWN_DATA, file })
}

async function deletePersonalData(tx: Transaction, actor: Actor): Promise<DataExport> {
  await lockRealm(tx, actor.realmId)
  const stored = (await findOwnDataExports(tx.db, actor.id)).find(isStored)
  if (stored === undefined) throw noArchive()
  await saveDataExportFields(tx, stored.id, { deletedAt: tx.now })
  return stored
}

const getPersonalData = endpoint({
  route: 'GET /users/me/data_export',
  summary: 'Get the state of the last archive of your data',
  description: 'Archives are deleted after 7 days.',
  who: 'human',
  returns: { data_export: personalDataJson.nullable().describe('Null if you have not requested your data.') },
  async handle({ db, actor, settings }) {
    const [last] = await findOwnDataExports(db, actor.id)
    return { data_export: last === undefined ? null : toPersonalDataJson(last, actor.realm, settings.EXTERNAL_URL) }
  },
})

const startPersonalData = endpoint({
  route: 'POST /users/me/data_export',
  summary: 'Request an archive of your data',
  description:
    'The archive is made in the background, and a direct message tells you when it is ready. It contains your profile, ' +
    'settings, messages, direct messages that you received, files, reactions, drafts, scheduled messages and sessions. ' +
    'You can request it once a day.',
  who: 'human',
  refuses: [exportPending, requestedToday, tooLittleSpace],
  async handle(call) {
    const { db, transaction, actor, files, clock } = call
    await requireMayRequest(db, actor, clock.now())
    await requireFreeSpace(db, files, actor.realmId)
    await transaction(async (tx) => {
      await requestPersonalData(tx, actor)
      await recordAudit(tx, actor.realmId, 'own_data_requested', { targetId: actor.id })
    })
    return {}
  },
})

const deletePersonalDataEndpoint = endpoint({
  route: 'DELETE /users/me/data_export',
  summary: 'Delete the archive of your data',
  who: 'human',
  refuses: [noArchive],
  async handle({ transaction, actor, files }) {
    await files.delete(archiveName(await transaction((tx) => deletePersonalData(tx, actor))))
    return {}
  },
})

export const personalDataEndpoints = [getPersonalData, startPersonalData, deletePersonalDataEndpoint]
