import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExportedOrganization, type ExportOptions, exportOrganization } from './export-organization.ts'

/** The name of the only folder in an archive. */
export const ARCHIVED_FOLDER = 'organization'

/**
 * Packs the export in `folder/organization`. Returns the path of the archive, which is in `folder`. Rejects after the
 * current file if `signal` aborts.
 */
export async function packExport(folder: string, signal?: AbortSignal): Promise<string> {
  const { create } = await import('tar')
  const archive = join(folder, `${ARCHIVED_FOLDER}.tar.gz`)
  const filter = () => signal?.aborted !== true
  await create({ file: archive, cwd: folder, gzip: true, portable: true, mode: 0o600, filter }, [ARCHIVED_FOLDER])
  signal?.throwIfAborted()
  return archive
}

/** Writes an export as an archive to `path`, which must not exist yet. */
export async function exportArchive(
  path: string,
  options: Omit<ExportOptions, 'folder'>,
): Promise<ExportedOrganization> {
  const unfinished = `${path}.unfinished`
  const folder = join(unfinished, ARCHIVED_FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const exported = await exportOrganization({ ...options, folder })
    await rename(await packExport(unfinished, options.signal), path)
    return exported
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}
