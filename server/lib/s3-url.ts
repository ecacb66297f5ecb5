// The address of files in S3, as operators write it: `s3://bucket/prefix`, with `?endpoint=…&region=…` for stores other
// than AWS. Addresses that other programs use are refused with the form that is meant.

/** The environment variables that S3 clients share, as settings. */
export type S3Settings = {
  AWS_ACCESS_KEY_ID: string
  AWS_SECRET_ACCESS_KEY: string
  AWS_SESSION_TOKEN: string
  AWS_REGION: string
  AWS_ENDPOINT_URL: string
}

export type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string | null }

/** A folder of a bucket. */
export type S3Location = {
  bucket: string
  /** Empty, or a path that ends with a slash. */
  prefix: string
  /** The base URL of the store, without a final slash. */
  endpoint: string
  /** The base URL of the store for browsers, in signed URLs. */
  publicEndpoint: string
  region: string
  /** True if the bucket is the first part of the path; false if it is the first part of the host name. */
  isPathStyle: boolean
  /** Null if the machine has a role that provides them. */
  credentials: S3Credentials | null
}

/** Returns whether the text is meant as the address of files in S3. */
export const isS3Url = (text: string): boolean => /^s3:/i.test(text)

const OPTIONS = ['endpoint', 'public_endpoint', 'region', 'path_style']

const FORM = 's3://bucket/prefix, or s3://bucket/prefix?endpoint=https://storage.example.com&region=REGION'

/** Returns the problem with an address of files in S3; null if there is none. */
export function findS3UrlProblem(text: string): string | null {
  try {
    readS3Url(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns the address for logs and messages: without the keys that it may contain. */
export function withoutKeys(url: string): string {
  return withoutCredentials(url).replace(/\?.*$/s, '')
}

/** Returns a complete address without its keys; other text is unchanged. */
export const withoutCredentials = (url: string): string => url.replace(/^(s3:\/\/)[^/?#]*@/i, '$1')

/**
 * Returns the location of the files at an address. The query says more than AWS_REGION and AWS_ENDPOINT_URL, and keys in
 * the address (`s3://KEY:SECRET@bucket`) more than AWS_ACCESS_KEY_ID. Throws an error that names the problem.
 */
export function readS3Location(text: string, settings: S3Settings): S3Location {
  const { bucket, prefix, options, credentials } = readS3Url(text)
  const endpoint = options.get('endpoint') ?? settings.AWS_ENDPOINT_URL
  const region = options.get('region') ?? (settings.AWS_REGION || 'us-east-1')
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: token } = settings
  const pathStyle = options.get('path_style')
  const base = endpoint === '' ? amazonEndpoint(region) : readEndpoint(endpoint)
  return {
    bucket,
    prefix,
    endpoint: base,
    publicEndpoint: readEndpoint(options.get('public_endpoint') ?? base),
    region,
    // Certificates of AWS do not cover host names with further dots.
    isPathStyle: pathStyle === undefined ? endpoint !== '' || bucket.includes('.') : pathStyle === 'true',
    credentials:
      credentials ?? (accessKeyId === '' ? null : { accessKeyId, secretAccessKey, sessionToken: token || null }),
  }
}

/** Returns the URL of the bucket, without a final slash. */
export function bucketUrl({ bucket, isPathStyle }: S3Location, endpoint: string): string {
  if (isPathStyle) return `${endpoint}/${bucket}`
  return endpoint.replace('://', `://${bucket}.`)
}

const amazonEndpoint = (region: string) => `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

function readS3Url(text: string) {
  if (/^s3:https?:\/\//i.test(text)) throw new Error(`is the form of restic; write ${FORM}`)
  const [, keys, bucket = '', path = '', query = ''] =
    /^s3:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/i.exec(text) ?? []
  if (bucket.includes(':')) throw new Error(`names a host where the bucket belongs; write ${FORM}`)
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/i.test(bucket)) throw new Error(`must be ${FORM}`)
  const prefix = decoded(path).replace(/^\/+|\/+$/g, '')
  if (prefix !== '' && !prefix.split('/').every((part) => /^\w[\w.-]*$/.test(part)))
    throw new Error('has a prefix that some stores cannot keep; use letters, digits, `-`, `_`, `.` and `/`')
  return {
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    options: readOptions(query),
    credentials: keys === undefined ? null : readKeys(keys),
  }
}

function readOptions(query: string): Map<string, string> {
  const options = new Map(new URLSearchParams(query))
  for (const name of options.keys())
    if (!OPTIONS.includes(name)) throw new Error(`has an unknown option, ${name}; there are ${OPTIONS.join(', ')}`)
  for (const name of ['endpoint', 'public_endpoint']) if (options.has(name)) readEndpoint(String(options.get(name)))
  if (!/^(true|false)$/.test(options.get('path_style') ?? 'true')) throw new Error('path_style must be true or false')
  return options
}

function readKeys(keys: string): S3Credentials {
  const [accessKeyId = '', secretAccessKey = '', ...others] = keys.split(':').map(decoded)
  if (accessKeyId === '' || secretAccessKey === '' || others.length > 0)
    throw new Error(
      'has keys in another form than s3://KEY:SECRET@bucket; or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  return { accessKeyId, secretAccessKey, sessionToken: null }
}

/** Returns the URL of an endpoint without a final slash. */
function readEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '')
    throw new Error(`has an endpoint that is not an https or http address: ${text}`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has a malformed percent-encoding')
  }
}
