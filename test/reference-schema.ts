import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const file = path.resolve(import.meta.dirname, '../../shared/spec/reference-openapi.json')

/** Why tests against the schemas of the reference are skipped; false when the schemas are there. */
export const noReferenceSchemas: string | false = !existsSync(file) && `${file} is absent`

type Schema = {
  $ref?: string
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  nullable?: boolean
  enum?: readonly unknown[]
  required?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  additionalProperties?: boolean | Schema
  items?: Schema
  allOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  minimum?: number
  minLength?: number
  minItems?: number
  maxItems?: number
}

type Operation = { responses: Record<string, { content: { 'application/json': { schema: Schema } } }> }

type Document = { paths: Record<string, Record<string, Operation>> }

let document: Document | undefined

function read(): Document {
  document ??= JSON.parse(readFileSync(file, 'utf8')) as Document
  return document
}

/**
 * What of an answer the reference's schema of the operation (`POST /register`) does not allow, each as a place and a
 * complaint. An operation that the reference does not document is an error.
 */
export function differencesFromReference(operation: string, answer: unknown, status = 200): string[] {
  const [method = '', route = ''] = operation.split(' ')
  const schema = read().paths[route]?.[method.toLowerCase()]?.responses[status]?.content['application/json'].schema
  if (schema === undefined) throw new Error(`The reference has no ${operation} that answers ${status}`)
  return complaintsOf(schema, answer, '')
}

/** The names of the fields that the answer of the operation can have. */
export function fieldsInReference(operation: string): Set<string> {
  const [method = '', route = ''] = operation.split(' ')
  const schema = read().paths[route]?.[method.toLowerCase()]?.responses['200']?.content['application/json'].schema
  return schema === undefined ? new Set() : new Set(propertyNames(schema))
}

function propertyNames(schema: Schema): string[] {
  const { properties = {}, allOf = [] } = resolved(schema)
  return [...Object.keys(properties), ...allOf.flatMap(propertyNames)]
}

function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const keys = schema.$ref.split('/').slice(1)
  const found = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], read())
  return resolved(found as Schema)
}

function complaintsOf(given: Schema, value: unknown, place: string): string[] {
  const schema = resolved(given)
  if (value === null && schema.nullable === true) return []
  return [
    ...typeComplaints(schema, value, place),
    ...limitComplaints(schema, value, place),
    ...objectComplaints(schema, value, place),
    ...arrayComplaints(schema, value, place),
    ...variantComplaints(schema, value, place),
  ]
}

function typeComplaints({ type, enum: allowed }: Schema, value: unknown, place: string): string[] {
  const complaints: string[] = []
  if (type !== undefined && !hasType(value, type)) complaints.push(`${place}: ${show(value)} is no ${type}`)
  if (allowed !== undefined && !allowed.includes(value))
    complaints.push(`${place}: ${show(value)} is none of ${allowed.map(show).join(', ')}`)
  return complaints
}

function hasType(value: unknown, type: NonNullable<Schema['type']>): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function limitComplaints({ minimum, minLength }: Schema, value: unknown, place: string): string[] {
  const isLow = typeof value === 'number' && minimum !== undefined && value < minimum
  const isShort = typeof value === 'string' && minLength !== undefined && value.length < minLength
  return isLow || isShort ? [`${place}: ${show(value)} is below its minimum`] : []
}

function objectComplaints(
  { properties = {}, required = [], additionalProperties = true }: Schema,
  value: unknown,
  place: string,
): string[] {
  if (!isObject(value)) return []
  const missing = required.filter((name) => value[name] === undefined).map((name) => `${place}.${name}: is missing`)
  const wrong = Object.entries(value).flatMap(([name, field]) => {
    const at = `${place}.${name}`
    const declared = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (declared === undefined || declared === true) return []
    return declared === false ? [`${at}: is not in the schema`] : complaintsOf(declared, field, at)
  })
  return [...missing, ...wrong]
}

function arrayComplaints(
  { items, minItems = 0, maxItems = Infinity }: Schema,
  value: unknown,
  place: string,
): string[] {
  if (!Array.isArray(value)) return []
  const count = value.length < minItems || value.length > maxItems ? [`${place}: has ${value.length} items`] : []
  if (items === undefined) return count
  return [...count, ...value.flatMap((item, index) => complaintsOf(items, item, `${place}[${index}]`))]
}

function variantComplaints({ allOf = [], anyOf, oneOf }: Schema, value: unknown, place: string): string[] {
  const complaints = allOf.flatMap((part) => complaintsOf(part, value, place))
  if (anyOf !== undefined) complaints.push(...nearest(anyOf, value, place))
  if (oneOf !== undefined) {
    complaints.push(...nearest(oneOf, value, place))
    const fitting = oneOf.filter((variant) => complaintsOf(variant, value, place).length === 0)
    if (fitting.length > 1) complaints.push(`${place}: fits ${fitting.length} variants, and may fit one alone`)
  }
  return complaints
}

/** What the variant complains of that has the least to complain of; nothing when one fits. */
function nearest(variants: readonly Schema[], value: unknown, place: string): string[] {
  const complaints = variants.map((variant) => complaintsOf(variant, value, place))
  return complaints.sort((one, other) => one.length - other.length)[0] ?? []
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
