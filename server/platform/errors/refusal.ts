/** The parameters of a message: `'No user {name}'` takes `{ name }`. */
type Blanks<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? { [key in Name]: string | number } & Blanks<Rest>
  : unknown

/** A declared reason for refusing a request. Endpoints list it, and the API reference documents it. */
export type RefusalKind = {
  readonly code: string
  readonly status: number
  /** The message, with its parameters in braces. */
  readonly text: string
}

/** A request refused with a documented response. Any other thrown error is a bug and is answered with status 500. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  /** Fields of the response beside `result`, `msg` and `code`. */
  readonly extras: Readonly<Record<string, unknown>>

  constructor(kind: RefusalKind, message: string, extras: Readonly<Record<string, unknown>>) {
    super(message)
    this.kind = kind
    this.extras = extras
  }
}

/**
 * Declares a refusal: `throw noSuchChannel({ name })` responds with `text`, its parameters filled in, and the fields
 * that `extras` returns. A refusal has no stack trace.
 */
export function refusal<const Text extends string, Filling extends Blanks<Text> = Blanks<Text>>(
  code: string,
  status: number,
  text: Text,
  extras: (filling: Filling) => Readonly<Record<string, unknown>> = () => ({}),
): RefusalKind & ((...filling: unknown extends Filling ? [] : [Filling]) => Refusal) {
  const make = (...[filling]: unknown[]) => {
    const values = (filling ?? {}) as Record<string, string | number>
    const message = text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]))
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    const made = new Refusal(kind, message, extras((filling ?? {}) as Filling))
    Error.stackTraceLimit = stackTraceLimit
    return made
  }
  const kind = Object.assign(make, { code, status, text })
  return kind
}
