import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exportOrganization } from '../../server/exporting/export-organization.ts'
import { findRealm } from '../../server/realms/queries.ts'
import type { Realm } from '../../server/realms/realm.ts'
import type { Chat } from '../harness.ts'
import { temporaryFolder } from '../storage.ts'

/** Exports the organization into a folder of its own. */
export async function exportFrom(
  chat: Chat,
  realm: Realm,
): Promise<{ folder: string; counts: Record<string, number> }> {
  const { storage, services } = chat.app
  const folder = join(await temporaryFolder(), 'organization')
  await mkdir(folder)
  const counts = await storage.transaction(
    async (tx) => {
      const now = await findRealm(tx.db, realm.id)
      assert(now)
      return exportOrganization({ db: tx.db, files: services.files, realm: now, folder })
    },
    { isSnapshot: true },
  )
  return { folder, counts }
}
