import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { deliberateChanges, type Step } from './deliberate.ts'
import type { Content, Operation, Schema } from './schema.ts'

const file = path.resolve(import.meta.dirname, '../../../shared/spec/reference-openapi.json')

/**
 * The reason why tests against the schemas of the reference documentation are skipped; false if the schemas are
 * available.
 */
export const noReferenceSchemas: string | false = !existsSync(file) && `${file} is absent`

type Document = { paths: Record<string, Record<string, Operation>> }

let document: Document | undefined

/** Reads the OpenAPI document of the reference server, and applies the deliberate differences. */
function read(): Document {
  if (document === undefined) {
    document = JSON.parse(readFileSync(file, 'utf8')) as Document
    for (const { at, becomes } of deliberateChanges) becomes(at.reduce<unknown>(step, document) as Schema)
  }
  return document
}

function step(place: unknown, by: Step): unknown {
  const next = typeof by === 'function' ? by(place as Schema[]) : (place as Record<string, unknown>)[by]
  if (next === undefined) throw new Error(`The reference has no ${by}`)
  return next
}

/** Resolves a `$ref` within the document, or returns the value itself. */
export function resolved<Thing extends object>(thing: Thing | { $ref: string }): Thing {
  if (!('$ref' in thing) || typeof thing.$ref !== 'string') return thing as Thing
  return resolved(thing.$ref.split('/').slice(1).reduce<unknown>(step, read()) as Thing)
}

/** Returns the operation of a route (`POST /register`); null if the reference server documents none. */
export function findOperation(route: string): Operation | null {
  const [method = '', pathOfRoute = ''] = route.split(' ')
  return read().paths[pathOfRoute]?.[method.toLowerCase()] ?? null
}

/** Returns the routes of all documented operations, except pages of text that are listed as operations. */
export function documentedRoutes(): string[] {
  const prose = new Set(['/real-time', '/rest-error-handling', '/zulip-outgoing-webhook'])
  return Object.entries(read().paths)
    .filter(([pathOfRoute]) => !prose.has(pathOfRoute))
    .flatMap(([pathOfRoute, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${pathOfRoute}`))
}

/** Returns the schema of the operation's response with this status; null if it is not documented. */
export function findAnswerSchema(route: string, status: number): Schema | null {
  const response = findOperation(route)?.responses[status]
  if (response === undefined) return null
  const { content } = resolved<{ content?: Content }>(response as { content?: Content })
  return content?.['application/json']?.schema ?? null
}
