import type { S3Location } from '#lib/s3-url.ts'

/** A failure that the store reported. */
export type S3Fault = {
  status: number
  code: string
  message: string
  /** The region of the bucket, if the store names it. */
  region: string
  /** The time at the store, as it writes it. */
  date: string
  /** The method and the object. */
  operation: string
}

const SETTINGS_DOC = 'docs/files.md'

/** Returns for operators what the store refused, and the change that helps. */
export function explainS3Error(fault: S3Fault, { bucket, endpoint, region }: S3Location, now: number): string {
  const { status, code, message, date } = fault
  const store = `bucket ${bucket} at ${endpoint}`
  switch (code) {
    case 'NoSuchBucket':
      return `There is no bucket ${bucket} at ${endpoint}. Create it, or correct the address of the files.`
    case 'InvalidAccessKeyId':
    case 'InvalidAccessKey':
    case 'XAdminUserNotFound':
      return `The store at ${endpoint} does not know the access key. Check AWS_ACCESS_KEY_ID, or the key in the address.`
    case 'SignatureDoesNotMatch':
      return `The store at ${endpoint} refuses the signature. Check AWS_SECRET_ACCESS_KEY, or the secret in the address, and the region (${region}).`
    case 'ExpiredToken':
    case 'InvalidToken':
    case 'TokenRefreshRequired':
      return `The session token for ${store} is invalid or has expired. Renew AWS_SESSION_TOKEN, or leave it out.`
    case 'RequestTimeTooSkewed':
    case 'RequestExpired':
      return `The clock of this machine and that of the store at ${endpoint} differ${byMinutes(date, now)}. Set both by NTP.`
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'TemporaryRedirect':
    case 'IllegalLocationConstraintException':
      return fault.region !== '' && fault.region !== region
        ? `The ${store} is in the region ${fault.region}, not ${region}. Add region=${fault.region} to its address, or set AWS_REGION.`
        : `The ${store} refuses the region or the endpoint (${code}: ${message}). Check region= and endpoint= in its address.`
    case 'AccessDenied':
    case 'AllAccessDisabled':
    case 'AccountProblem':
      return `The access key may not ${fault.operation} in the ${store} (${code}). ${SETTINGS_DOC} lists the permissions that it needs.`
    default:
      if (status === 301 || status === 307)
        return `The ${store} is somewhere else${fault.region === '' ? '' : `: in the region ${fault.region}`}. Check region= and endpoint= in its address.`
      if (status === 401 || status === 403)
        return `The ${store} refuses ${fault.operation} with ${status}. Check the access key, its permissions and the clock; ${SETTINGS_DOC} lists the permissions.`
      return `The ${store} answered ${fault.operation} with ${status}${code === '' ? '' : ` ${code}`}${message === '' ? '' : `: ${message}`}`
  }
}

function byMinutes(date: string, now: number): string {
  const minutes = Math.round(Math.abs(Date.parse(date) / 1000 - now) / 60)
  return minutes > 0 ? ` by ${minutes} minutes` : ''
}

const CERTIFICATE_CODES =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** Returns for operators why there was no answer. */
export function explainConnectionError(error: unknown, { endpoint }: S3Location): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  const { host } = new URL(endpoint)
  if (code === 'ENOTFOUND') return `There is no host named ${host}. Check the endpoint of the files, and DNS.`
  if (code === 'EAI_AGAIN') return `The name ${host} cannot be looked up at the moment.`
  if (code === 'ECONNREFUSED') return `Nothing listens at ${host}. Check the endpoint of the files, or start the store.`
  if (CERTIFICATE_CODES.test(code))
    return `The certificate of ${host} is not valid (${code}). For one of your own authority, name its file by NODE_EXTRA_CA_CERTS.`
  if (code === 'EPROTO') return `${host} does not speak https. Check whether the endpoint needs http://.`
  return `The connection to ${host} failed: ${message || code}`
}
