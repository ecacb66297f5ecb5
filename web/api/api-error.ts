/** The error of an API call. The server refused the call, or it could not be reached. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  /** The server's error code, such as `INVITATION_FAILED`; `UNREACHABLE` if there was no response. */
  readonly code: string
  readonly route: string
  /**
   * The parameter that the server refused. If the parameter is an object, this is the refused field within it. Null if
   * the error does not concern a parameter.
   */
  readonly field: string | null
  /** The other members of the response. */
  readonly extras: Readonly<Record<string, unknown>>
  /** The time of the error, in UNIX milliseconds. */
  readonly at: number

  constructor(message: string, details: Pick<ApiError, 'status' | 'code' | 'route' | 'field' | 'extras'>) {
    super(message)
    this.status = details.status
    this.code = details.code
    this.route = details.route
    this.field = details.field
    this.extras = details.extras
    this.at = Date.now()
  }
}

/** Returns true if a retry may succeed without any change. */
export const isTransientError = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** Returns the time to wait before a retry, in milliseconds; null if the server gave none. */
export function retryAfterOf(error: unknown): number | null {
  const seconds = error instanceof ApiError ? error.extras['retry-after'] : undefined
  return typeof seconds === 'number' ? Math.ceil(seconds * 1000) : null
}

/** Returns a report for administrators: the call and the response, without the request's parameters. */
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

/** The outcome of a call. `isAnswered` is false if the server could not be reached. */
export type Outcome = { route: string; isAnswered: boolean }

type Listener = (outcome: Outcome) => void

const listeners = new Set<Listener>()

/** Calls the listener after each call of the API. Returns a function that stops this. */
export function onOutcome(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitOutcome(outcome: Outcome): void {
  for (const listener of listeners) listener(outcome)
}
