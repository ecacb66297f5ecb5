import { FilesUnavailable } from '#lib/errors.ts'
import type { S3Credentials, S3Location } from '#lib/s3-url.ts'

/** Returns a function that returns the keys of the location. */
export function openCredentials({ credentials }: S3Location): () => Promise<S3Credentials> {
  return async () => {
    if (credentials !== null) return credentials
    throw new FilesUnavailable('There are no keys for S3. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.', {
      isTemporary: false,
    })
  }
}
