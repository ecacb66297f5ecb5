import { z } from 'zod'
import { ownField, withoutOwnFields } from '#lib/encoding/own-field.ts'
import type { DataExport } from '#realms/export-queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { DATA_EXPORTS } from '#storage/files/folders.ts'
import type { ExportScope } from '../exporting/selection.ts'

/** The types of exports by their numbers in the API. */
const SCOPES: Readonly<Record<number, ExportScope>> = { 1: 'public', 2: 'consented' }

export const exportType = z.union([z.literal(1), z.literal(2)])

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
export const downloadName = ({ requestedAt }: DataExport): string =>
  `parley-export-${new Date(requestedAt * 1000).toISOString().slice(0, 10)}.tar.gz`

/** Matches the path of an archive. The groups are the id of the organization and the id of the export. */
export const ARCHIVE_PATH = /^\/user_avatars\/exports\/(\d{1,15})\/(\d{1,15})\/[^/]+$/

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

export function toDataExportJson(given: DataExport, realm: Realm, externalUrl: string): z.infer<typeof dataExportJson> {
  const path = `/user_avatars/exports/${given.realmId}/${given.id}/${downloadName(given)}`
  return {
    id: given.id,
    acting_user_id: given.actorId,
    export_time: given.requestedAt,
    deleted_timestamp: given.deletedAt,
    failed_timestamp: given.failedAt,
    export_url: isStored(given) ? realmAddress(realm.subdomain, externalUrl).url + path : null,
    pending: isPending(given),
    export_type: given.type,
    size: given.bytes,
  }
}

/** Returns the export for clients that know only the fields of the reference server. */
export const toReferenceExport = (given: z.infer<typeof dataExportJson>): z.infer<typeof dataExportJson> =>
  withoutOwnFields(dataExportJson.shape, given)
