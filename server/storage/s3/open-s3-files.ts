import type { Clock } from '#lib/clock.ts'
import { FilesUnavailable } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { S3Credentials, S3Location } from '#lib/s3-url.ts'
import type { FileStore } from '../files.ts'
import { S3Client, type S3Limits } from './client.ts'
import { filesInS3 } from './s3-files.ts'

type S3Options = {
  location: S3Location
  /** A folder for bytes on their way. */
  workFolder: string
  clock: Clock
  log: Log
  /** Time limits that replace the defaults. */
  limits?: S3Limits
}

/** Returns a function that returns the keys of the location. */
function openCredentials({ credentials }: S3Location): () => Promise<S3Credentials> {
  return async () => {
    if (credentials !== null) return credentials
    throw new FilesUnavailable('There are no keys for S3. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.', {
      isTemporary: false,
    })
  }
}

/** Opens the files of a location in S3. Nothing is sent before the first use. */
export function openS3Files({ location, workFolder, clock, log, limits }: S3Options): FileStore {
  const client = new S3Client({ location, credentials: openCredentials(location), clock, log, limits })
  return filesInS3({ client, workFolder, now: () => clock.now(), log })
}
