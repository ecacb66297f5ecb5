import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { S3Location } from '#lib/s3-url.ts'
import type { FileStore } from '../files.ts'
import { S3Client } from './client.ts'
import { openCredentials } from './credentials.ts'
import { filesInS3 } from './s3-files.ts'

type S3Options = { location: S3Location; workFolder: string; clock: Clock; log: Log }

/** Opens the files of a location in S3. Nothing is sent before the first use. */
export function openS3Files({ location, workFolder, clock, log }: S3Options): FileStore {
  const client = new S3Client({ location, credentials: openCredentials(location), clock, log })
  return filesInS3({ client, workFolder, now: () => clock.now(), log })
}
