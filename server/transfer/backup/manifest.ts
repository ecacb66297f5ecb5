import { createHash } from 'node:crypto'
import { z } from 'zod'
import { OperatorError } from '#lib/errors.ts'
import type { FileStore } from '#storage/files.ts'

// The manifest of a backup: a list of all its files with their sizes and hashes. It is written last, so that a backup
// without one is unfinished. The file beside it has its own hash, in the form that `sha256sum -c` reads.

export const MANIFEST = 'manifest.json'
export const MANIFEST_HASH = `${MANIFEST}.sha256`

/** The number of the format. A program refuses backups with a higher one. */
const FORMAT = 1

/** A file of a backup as it is stored: encrypted, if the backup is. */
export type StoredObject = z.infer<typeof storedObject>

/** Names never lead out of the place of the backup. */
const name = z.string().regex(/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/)

const storedObject = z.object({ name, bytes: z.int(), sha256: z.string() })

const manifestJson = z.object({
  format: z.int(),
  /** The version of the program that made the backup. */
  parley: z.string(),
  /** The number of the last migration of the database. */
  schema: z.int(),
  /** The time of the copy of the database, in UNIX seconds. */
  created_at: z.number(),
  /** The way in which all files but the manifest are encrypted. */
  encryption: z.enum(['none', 'passphrase', 'recipients']),
  /** The age recipients, in the order of their letters. */
  recipients: z.array(z.string()),
  /** The name of the database, the secret of the server, and the key that the passphrase opens. */
  database: name,
  secret: name.nullable(),
  key: name.nullable(),
  /** The start of the names of all stored files. */
  files: z.string().regex(/^(files(-[0-9a-f]+)?\/)?$/),
  /** True if the database was checked in full before it was encrypted, because the server has no key to open it. */
  is_checked: z.boolean(),
  /** The number of rows of each table. */
  tables: z.record(z.string(), z.int()),
  /** Files that the database names and that were missing when the backup was made. */
  absent: z.array(z.string()),
  /** The messages per second in the busiest hour of the last four weeks, from which a restore skips message ids. */
  peak_messages_per_second: z.number(),
  /** Identifies the secret of a server without revealing it. */
  secret_fingerprint: z.string(),
  objects: z.array(storedObject),
})

export type Manifest = z.infer<typeof manifestJson>

/** Saves the manifest and then its name, which completes the backup. */
export async function saveManifest(
  store: FileStore,
  folder: string,
  manifest: Omit<Manifest, 'format'>,
): Promise<void> {
  const { objects, ...facts } = { format: FORMAT, ...manifest }
  const lines = objects.map((object) => `    ${JSON.stringify(object)}`).join(',\n')
  const head = JSON.stringify(facts, null, 2).replace(/\n\}$/, '')
  const bytes = Buffer.from(`${head},\n  "objects": [\n${lines}\n  ]\n}\n`)
  await store.save(`${folder}${MANIFEST_HASH}`, Buffer.from(`${sha256(bytes)}  ${MANIFEST}\n`))
  await store.save(`${folder}${MANIFEST}`, bytes)
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** A backup whose manifest cannot be read. Nothing else of it can be checked. */
class DamagedManifest extends OperatorError {}

/** Returns the manifest of the backup in the folder; null if there is none. */
export async function findManifest(store: FileStore, folder: string): Promise<Manifest | null> {
  const bytes = await store.read(`${folder}${MANIFEST}`)
  if (bytes === null) return null
  const name = `${folder}${MANIFEST}`
  const hash = (await store.read(`${folder}${MANIFEST_HASH}`))?.toString('latin1').split(' ')[0]
  if (hash === undefined) throw new DamagedManifest(`${folder}${MANIFEST_HASH} is missing`)
  if (hash !== sha256(bytes)) throw new DamagedManifest(`${name} or ${MANIFEST_HASH} is damaged: the hash differs`)
  const parsed = JSON.parse(bytes.toString()) as { format?: number; parley?: string }
  if ((parsed.format ?? 0) > FORMAT)
    throw new OperatorError(`${name} is of a newer version of Parley, ${parsed.parley}. Use that version.`)
  return manifestJson.parse(parsed)
}
