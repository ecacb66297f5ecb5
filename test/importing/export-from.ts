import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { ExportScope } from '#transfer/data-exports.ts'
import { type ExportedOrganization, exportOrganization } from '#transfer/export-organization.ts'
import type { Chat } from '../harness.ts'
import { temporaryFolder } from '../storage.ts'

/** Exports the organization into a new folder. */
export async function exportFrom(
  chat: Chat,
  realm: Realm,
  scope: ExportScope = 'everything',
): Promise<ExportedOrganization & { folder: string }> {
  const { storage, services } = chat.app
  const folder = join(await temporaryFolder(), 'organization')
  await mkdir(folder)
  const exported = await exportOrganization({
    transaction: storage.transaction,
    files: services.files,
    async findRealm(db) {
      const found = await findRealm(db, realm.id)
      assert(found)
      return found
    },
    scope,
    folder,
  })
  return { ...exported, folder }
}
