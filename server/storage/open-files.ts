import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Settings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { FilesUnavailable, OperatorError } from '#lib/errors.ts'
import { type Log, openLog } from '#lib/log.ts'
import { accountName } from '#lib/process.ts'
import { bucketUrl, isS3Url, readS3Location, withoutKeys } from '#lib/s3-url.ts'
import { type FileStore, openFileStore } from './files.ts'

// Opens the files of an installation, in the folder DATA_DIR or in S3. The code for S3 is loaded only if it is used. A
// store that is away does not keep anything from being opened.

/**
 * Opens the files at any location: an `s3://` address, a folder, or memory (null). Addresses without an endpoint, region
 * or keys take them from AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; another store, such
 * as one for backups, has them in its address: `s3://KEY:SECRET@bucket/prefix?endpoint=…&region=…`. Names have the form
 * that `FileStore` demands, so that files at the top of the location need no folder. Commands need no log, because they
 * print the errors themselves.
 */
export async function openFilesAt(
  location: string | null,
  settings: Settings,
  log: Log = openLog('silent'),
): Promise<FileStore> {
  if (location === null || !isS3Url(location)) return openFileStore(location)
  const { openS3Files } = await import('./s3/open-s3-files.ts')
  return openS3Files({
    location: readLocation(location, settings),
    workFolder: join(settings.DATA_DIR, 'unsent'),
    // The store compares the time of requests with its own, so that it is never that of a test.
    clock: systemClock(),
    log,
  })
}

function readLocation(location: string, settings: Settings) {
  try {
    return readS3Location(location, settings)
  } catch (error) {
    throw new OperatorError(`The address of the files ${(error as Error).message}`)
  }
}

/** Opens the files of the installation: those of FILES_URL, or in DATA_DIR; in memory if the database is. */
export const openFiles = (settings: Settings, log?: Log): Promise<FileStore> =>
  openFilesAt(settings.DATABASE_URL === 'memory' ? null : settings.FILES_URL || settings.DATA_DIR, settings, log)

/** Makes the folder of this process, in which files are on their way to FILES_URL. Throws if nothing can be written there. */
export async function requireOwnFolder({ DATA_DIR }: Settings): Promise<void> {
  const folder = resolve(DATA_DIR)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
  } catch (error) {
    const account = accountName(process.getuid?.() ?? 0)
    throw new OperatorError(
      `The account ${account} cannot write to DATA_DIR, ${folder} (${(error as NodeJS.ErrnoException).code}). Uploads are there ` +
        `until the store of FILES_URL has them. Make the folder, and run: chown ${account} ${folder}`,
    )
  }
}

/** Returns the origin from which browsers load files themselves; null if the server passes them on. */
export function findFilesOrigin(settings: Settings): string | null {
  if (!settings.FILES_REDIRECT || settings.FILES_URL === '') return null
  const location = readLocation(settings.FILES_URL, settings)
  return new URL(bucketUrl(location, location.publicEndpoint)).origin
}

/** Returns the setting that says where the files are, and its value without keys. */
export const filesLocation = ({ FILES_URL, DATA_DIR }: Settings): string =>
  FILES_URL === '' ? `DATA_DIR, ${DATA_DIR}` : `FILES_URL, ${withoutKeys(FILES_URL)}`

/**
 * Returns the files of a store, which are used only once `bind` has been successful: it checks that the store is the
 * right one. A store that is away at first is bound by the first use for which it is there. A store that was away is
 * tried again whenever its state is asked for.
 */
export function filesOnceBound(
  files: FileStore,
  bind: () => Promise<void>,
  log: Log,
): FileStore & { bind(): Promise<void> } {
  let isBound = false
  let wrongSince: number | null = null
  let binding: Promise<void> | null = null
  let isProbing = false
  /** False while the server starts: it then ends with the reason. */
  let mustLog = false

  async function bindNow(): Promise<void> {
    try {
      await bind()
      isBound = true
      wrongSince = null
    } catch (error) {
      if (!(error instanceof FilesUnavailable) || error.isTemporary) throw error
      if (wrongSince === null && mustLog) log.error({ reason: error.message }, 'The file store cannot be used')
      wrongSince ??= systemClock().now()
      throw error
    }
  }

  async function bound(): Promise<FileStore> {
    if (!isBound) {
      binding ??= bindNow().finally(() => {
        binding = null
      })
      await binding
    }
    return files
  }

  async function probeAgain(): Promise<void> {
    if (isProbing) return
    isProbing = true
    // The store remembers the failure.
    await bound()
      .then(() => files.check?.())
      .catch(() => {})
    isProbing = false
  }

  return {
    async bind() {
      await bound().finally(() => {
        mustLog = true
      })
    },
    save: async (name, bytes) => (await bound()).save(name, bytes),
    create: async (name) => (await bound()).create(name),
    read: async (name) => (await bound()).read(name),
    withSource: async (name, use) => (await bound()).withSource(name, use),
    findSize: async (name) => (await bound()).findSize(name),
    // The size is found before.
    stream: (name, range) => files.stream(name, range),
    findFreeSpace: () => files.findFreeSpace(),
    delete: async (name) => (await bound()).delete(name),
    async *list(name) {
      yield* (await bound()).list(name)
    },
    failingSince() {
      const since = wrongSince ?? files.failingSince?.() ?? null
      if (since !== null) void probeAgain()
      return since
    },
    ...(files.signUrl && { signUrl: files.signUrl }),
  }
}
