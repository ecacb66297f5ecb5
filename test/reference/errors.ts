import { type Problems, problemsOf } from './compile.ts'
import { isOwnField } from './deliberate.ts'
import { documentedRoutes, findOperation, resolved } from './document.ts'
import { isObject, type Schema } from './schema.ts'

/** An error as the reference server documents it, for one operation or for all. */
export type DocumentedError = {
  readonly status: number
  readonly code: string
  readonly msg: string
  /** The message without its numbers and names. */
  readonly pattern: string
  /** The fields besides `result`, `msg` and `code`. Fields without a schema are described by an example. */
  readonly extras: ReadonlyMap<string, Schema>
}

type ErrorBody = Readonly<Record<string, unknown>> & { msg: string; code: string }

const envelope = new Set(['result', 'msg', 'code'])

const read = new Map<string, readonly DocumentedError[]>()

/** Returns the errors that the reference server documents for the operation. */
export function documentedErrors(route: string): readonly DocumentedError[] {
  let errors = read.get(route)
  if (errors === undefined) {
    const responses = Object.entries(findOperation(route)?.responses ?? {})
    errors = responses
      .filter(([status]) => status !== '200')
      .flatMap(([status, { content }]) => {
        const schema = content?.['application/json']?.schema
        if (schema === undefined) return []
        return (schema.oneOf ?? [schema]).map((variant) => toError(Number(status), variant))
      })
    read.set(route, errors)
  }
  return errors
}

function toError(status: number, variant: Schema): DocumentedError {
  const parts = partsOf(variant)
  const example =
    parts
      .map((part) => part.example)
      .filter(isObject)
      .at(-1) ?? {}
  const declared = parts.flatMap((part) => Object.entries(part.properties ?? {}))
  const extras = new Map<string, Schema>(Object.keys(example).map((name) => [name, {}]))
  for (const [name, schema] of declared) extras.set(name, schema)
  for (const name of envelope) extras.delete(name)
  const msg = String(example['msg'])
  return { status, code: String(example['code']), msg, pattern: pattern(msg), extras }
}

function partsOf(schema: Schema): Schema[] {
  const found = resolved(schema)
  return [found, ...(found.allOf ?? []).flatMap(partsOf)]
}

/** Returns the documented error that matches, ignoring numbers and names; null if none does. */
export function errorInReference(route: string, status: number, body: ErrorBody): DocumentedError | null {
  return documentedErrors(route).find((error) => error.status === status && isAlike(error, body)) ?? null
}

const isAlike = (error: DocumentedError, { code, msg }: ErrorBody) =>
  error.code === code && error.pattern === pattern(msg)

/**
 * Removes names, numbers, addresses and queue ids. Only the beginning is kept, because a message may quote the request.
 */
const pattern = (msg: string) =>
  msg
    .slice(0, 500)
    .replace(/(?<=queue ID: )\S+|'[^']*'|\(\w+\)|\d+|\S+@\S+/g, '…')
    .replace(/\.$/, '')

/** Returns every documented error of any operation. */
function allErrors(): readonly DocumentedError[] {
  everywhere ??= ['POST /rest-error-handling', ...documentedRoutes()].flatMap(documentedErrors)
  return everywhere
}

let everywhere: readonly DocumentedError[] | undefined

/**
 * Returns how an error differs from the reference documentation: another status, or missing or additional fields for
 * its code.
 */
export function errorDifferences(route: string, status: number, body: ErrorBody): Problems {
  const alike = documentedErrors(route).filter((error) => isAlike(error, body))
  if (alike.length > 0 && alike.every((error) => error.status !== status))
    return [`${body.msg}: the reference answers ${alike[0]?.status}, not ${status}`]

  const kin = allErrors().filter(({ code }) => code === body.code)
  const fields = Object.keys(body).filter((name) => !envelope.has(name))
  const foreign = fields.filter((name) => !kin.some(({ extras }) => extras.has(name)))
  const same = kin.find((error) => isAlike(error, body))
  const missing = same === undefined ? [] : [...same.extras.keys()].filter((name) => !(name in body))
  const wrong = kin.flatMap(({ extras }) =>
    Array.from(extras, ([name, schema]) => (name in body ? problemsOf(schema, body[name], `.${name}`) : [])).flat(),
  )
  return [
    ...foreign
      .filter((name) => !isOwnField(body.code, name))
      .map((name) => `${body.code}: .${name} is not in the schema`),
    ...missing.map((name) => `${body.code}: .${name} is missing`),
    ...wrong,
  ]
}
