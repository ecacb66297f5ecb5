/** Why a call did not succeed: what the server said, or that it could not be reached. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** 0 when there was no answer. */
  readonly status: number
  /** The server's code, such as `INVITATION_FAILED`; `UNREACHABLE` when there was no answer. */
  readonly code: string
  readonly route: string
  /** What else the answer held. */
  readonly extras: Readonly<Record<string, unknown>>
  /** When it happened, in UNIX milliseconds. */
  readonly at: number

  constructor(message: string, details: Pick<ApiError, 'status' | 'code' | 'route' | 'extras'>) {
    super(message)
    this.status = details.status
    this.code = details.code
    this.route = details.route
    this.extras = details.extras
    this.at = Date.now()
  }
}

/** Whether trying again later may help, all by itself. */
export const isTransientError = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** How long the server wants to be left alone, in milliseconds; null where it did not say so. */
export function retryAfterOf(error: unknown): number | null {
  const seconds = error instanceof ApiError ? error.extras['retry-after'] : undefined
  return typeof seconds === 'number' ? Math.ceil(seconds * 1000) : null
}

/** For whoever looks into it: what was called and what came back, but nothing of what was sent. */
export function toErrorReport(error: unknown): string {
  if (!(error instanceof ApiError)) return `Parley web client\n${error instanceof Error ? error.stack : String(error)}`
  return [
    'Parley web client',
    `Call: ${error.route}`,
    `Answer: ${error.status === 0 ? 'none' : error.status} ${error.code}`,
    `Message: ${error.message}`,
    `When: ${new Date(error.at).toISOString()}`,
    `Browser: ${navigator.userAgent}`,
  ].join('\n')
}
