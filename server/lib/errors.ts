// The errors that the server expects. A refusal is part of the API: it is declared once, with its code, status and
// text, and each endpoint lists the refusals that it can return. An operator error explains a problem to the person
// who runs the server. Any other error is a bug.

/** The parameters of a message: `'No user {name}'` takes `{ name }`. */
type MessageParams<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? { [key in Name]: string | number } & MessageParams<Rest>
  : unknown

/** A declared reason for refusing a request. Endpoints list it, and the API reference documents it. */
export type RefusalKind = {
  readonly code: string
  readonly status: number
  /** The message, with its parameters in braces. */
  readonly text: string
  /**
   * The parameter that the refusal is about, or null. If endpoints have different names for the parameter, such as
   * `new_name` for a channel, this is the field of the object: `name`. Parameters in braces are filled in, as in the
   * message.
   */
  readonly field: string | null
}

/** Refuses a request with a documented response. Any other thrown error is a bug; the response then has status 500. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  /** The parameter or field that the refusal is about, or null. */
  readonly field: string | null
  /** Fields of the response besides `result`, `msg` and `code`. */
  readonly extras: Readonly<Record<string, unknown>>

  constructor(kind: RefusalKind, message: string, details: Pick<Refusal, 'field' | 'extras'>) {
    super(message)
    this.kind = kind
    this.field = details.field
    this.extras = details.extras
  }
}

/** The optional parts of a declaration. `extras` returns the additional fields of the response. */
type Details<Field extends string, Filling> = {
  field?: Field
  extras?: (filling: Filling) => Readonly<Record<string, unknown>>
}

/**
 * Declares a refusal: `throw noSuchChannel({ name })` responds with `text`, its parameters filled in, and the fields
 * that `extras` returns. A refusal has no stack trace.
 */
export function refusal<
  const Text extends string,
  const Field extends string = '',
  Filling extends MessageParams<Text> & MessageParams<Field> = MessageParams<Text> & MessageParams<Field>,
>(
  code: string,
  status: number,
  text: Text,
  { field, extras }: Details<Field, Filling> = {},
): RefusalKind & ((...filling: unknown extends Filling ? [] : [Filling]) => Refusal) {
  const make = (...[filling]: unknown[]) => {
    const values = shorten(filling ?? {}) as Filling
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    const made = new Refusal(kind, fill(text, values), {
      field: field === undefined ? null : fill(field, values),
      extras: extras?.(values) ?? {},
    })
    Error.stackTraceLimit = stackTraceLimit
    return made
  }
  const kind = Object.assign(make, { code, status, text, field: field ?? null })
  return kind
}

/** The maximum length of a text from the request in a message. */
const MAX_QUOTED = 1000

/** Cuts texts that are too long for a message, and marks where they end. */
function shorten(values: object): object {
  const cut = (value: unknown) =>
    typeof value === 'string' && value.length > MAX_QUOTED
      ? `${value.slice(0, MAX_QUOTED).replace(/[\uD800-\uDBFF]$/, '')}…`
      : value
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cut(value)]))
}

const fill = (text: string, values: unknown): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String((values as Record<string, string | number>)[name]))

/** The caller has exceeded its limit. `retryAfter` is in seconds. */
export const rateLimitHit = refusal('RATE_LIMIT_HIT', 429, 'API usage exceeded rate limit', {
  extras: ({ retryAfter }: { retryAfter: number }) => ({ 'retry-after': retryAfter }),
})

/** A problem that the operator of the server can solve: the message names the problem and the solution. */
export class OperatorError extends Error {
  /** True if a later attempt may succeed; false if the operator has to change something. */
  readonly isTemporary: boolean

  constructor(message: string, { isTemporary = true, cause }: { isTemporary?: boolean; cause?: unknown } = {}) {
    super(message, { cause })
    this.isTemporary = isTemporary
  }
}

/** Another process does the same now. Trying again when it has ended is all that the operator has to do. */
export class AlreadyRunning extends OperatorError {}

/** The exit code of a command that another process keeps from running: EX_TEMPFAIL of sysexits.h. */
export const TRY_AGAIN_LATER = 75

/**
 * Returns the message that tells the operator why the process failed. Returns null for a bug, because a bug is shown
 * with its stack trace.
 */
export function explainError(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))
    return `The disk is full: ${error.message}. Free some space, and repeat the command.`
  if (isAboutFile(error)) return `${error.message}${ADVICE[String(error.code)] ?? ''}`
  return error instanceof OperatorError || error instanceof Refusal ? error.message : null
}

/** Errors of the operating system name the file and the reason. */
const isAboutFile = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'path' in error

/** Returns whether another attempt fails as well, until the operator changes something. */
export function isLasting(error: unknown): boolean {
  return isAboutFile(error) ? String(error.code) in ADVICE : error instanceof OperatorError && !error.isTemporary
}

/** Advice about a file system that is read-only, as for the service of systemd. */
export const READ_ONLY_SERVICE =
  'As a service, the server writes only to /var/lib/parley: create the folder for its account, and add it to ReadWritePaths, by `systemctl edit parley`'

const NO_PERMISSION =
  '. The account of this process lacks the permission: let it own the file or folder, or belong to its group'

/** Advice about errors of the operating system, whose messages lack it. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: `. ${READ_ONLY_SERVICE}`,
}

/** The disk was full. The operation saved nothing; existing data can still be read. */
export class DiskFull extends OperatorError {}

/**
 * The store of uploaded files does not answer, or refuses the server. Everything that needs no files works meanwhile.
 * The message is for operators.
 */
export class FilesUnavailable extends OperatorError {}

/** Returns whether the error reports a full disk, from the database or from the file system. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof DiskFull) return true
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
