import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { logActorEvent } from '#http/security-log.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/users/access.ts'
import { findRealmUsers } from '#people/users/queries.ts'
import { isBot } from '#people/users/user.ts'
import { findDataExports } from '#realms/export-queries.ts'
import {
  exportDeleted,
  exportFailed,
  exportPending,
  exportUnfinished,
  noSuchExport,
  requireMayExport,
  tooLargeToExport,
  tooManyExports,
} from '../access.ts'
import { deleteExport, requestExport } from '../change-exports.ts'
import { archiveName, dataExportJson, exportType, toDataExportJson, toReferenceExport } from '../data-export.ts'
import { requireFreeSpace, tooLittleSpace } from '../free-space.ts'

export const listExports = endpoint({
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

export const startExport = endpoint({
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
    logActorEvent(call, 'export_started', { targetId: null })
    return { id }
  },
})

export const deleteExportEndpoint = endpoint({
  route: 'DELETE /export/realm/{export_id}',
  summary: 'Delete an export',
  description: 'Requires an administrator. The archive can no longer be downloaded; the export stays in the list.',
  who: 'user',
  refuses: [mustBeAdministrator, noSuchExport, exportDeleted, exportFailed, exportUnfinished],
  async handle(call, { export_id }) {
    const { transaction, actor, files } = call
    const deleted = await transaction((tx) => deleteExport(tx, actor, export_id))
    await files.delete(archiveName(deleted))
    logActorEvent(call, 'export_deleted', { targetId: null })
    return {}
  },
})

export const listExportConsents = endpoint({
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
