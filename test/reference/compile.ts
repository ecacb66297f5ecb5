import { resolved } from './document.ts'
import { isObject, type Schema, type SchemaType } from './schema.ts'

/** The differences of a value from a schema: a path (`.messages[0].id`) and a reason each. */
export type Problems = string[]

/** Returns whether a value fits a schema. Adds the differences to `problems`, if given. */
type Check = (value: unknown, problems: Problems | null, path: string) => boolean

const compiled = new WeakMap<Schema, Check>()

/** Returns how the value differs from the schema. Schemas are compiled once; a value that fits produces no text. */
export function problemsOf(schema: Schema, value: unknown, path = ''): Problems {
  const check = compile(schema)
  if (check(value, null, '')) return []
  const problems: Problems = []
  check(value, problems, path)
  return problems
}

function compile(given: Schema): Check {
  const schema = resolved(given)
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const parts: Check[] = []
  const check: Check = (value, problems, path) => {
    if (value === null && schema.nullable === true) return true
    let fits = true
    for (const part of parts) fits = part(value, problems, path) && fits
    return fits
  }
  // Stored before its parts are compiled, for recursive schemas.
  compiled.set(schema, check)
  parts.push(...partsOf(schema))
  return check
}

function partsOf(schema: Schema): Check[] {
  const { type, enum: allowed, minimum, minLength, properties, required, additionalProperties, items } = schema
  const parts: Check[] = []
  const addCheck = (fits: (value: unknown) => boolean, problem: string) =>
    parts.push((value, problems, path) => {
      if (fits(value)) return true
      problems?.push(`${path}: ${show(value)} ${problem}`)
      return false
    })
  if (type !== undefined) addCheck((value) => hasType(value, type), `is no ${type}`)
  if (allowed !== undefined) addCheck((value) => allowed.includes(value), `is none of ${allowed.map(show).join(', ')}`)
  if (minimum !== undefined) addCheck((value) => !(typeof value === 'number' && value < minimum), `is below ${minimum}`)
  if (minLength !== undefined)
    addCheck((value) => !(typeof value === 'string' && value.length < minLength), `has not ${minLength} characters`)
  const { minItems = 0, maxItems = Infinity } = schema
  if (schema.minItems !== undefined || schema.maxItems !== undefined)
    addCheck(
      (value) => !Array.isArray(value) || (value.length >= minItems && value.length <= maxItems),
      `has not ${minItems} to ${maxItems} items`,
    )
  if (items !== undefined) parts.push(itemsCheck(compile(items)))
  if (properties !== undefined || required !== undefined || additionalProperties !== undefined)
    parts.push(fieldsCheck(schema))
  for (const part of schema.allOf ?? []) parts.push(compile(part))
  const variants = schema.oneOf ?? schema.anyOf
  if (variants !== undefined) parts.push(variantCheck(variants))
  return parts
}

function hasType(value: unknown, type: SchemaType): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function itemsCheck(item: Check): Check {
  return (value, problems, path) => {
    if (!Array.isArray(value)) return true
    let fits = true
    for (const [index, each] of value.entries())
      fits = item(each, problems, problems === null ? '' : `${path}[${index}]`) && fits
    return fits
  }
}

function fieldsCheck({ properties = {}, required = [], additionalProperties = true }: Schema): Check {
  const fields = new Map(Object.entries(properties).map(([name, schema]) => [name, compile(schema)]))
  const others = typeof additionalProperties === 'object' ? compile(additionalProperties) : null
  return (value, problems, path) => {
    if (!isObject(value)) return true
    let fits = true
    for (const name in value) {
      const check = fields.get(name) ?? others
      const at = problems === null ? '' : `${path}.${name}`
      if (check !== null) fits = check(value[name], problems, at) && fits
      else if (additionalProperties === false) {
        problems?.push(`${at}: is not in the schema`)
        fits = false
      }
    }
    for (const name of required) {
      if (value[name] !== undefined) continue
      problems?.push(`${path}.${name}: is missing`)
      fits = false
    }
    return fits
  }
}

/**
 * One of the variants must fit. If none does, the one with the fewest differences is reported. More than one may fit:
 * many variants of the reference documentation are distinguished by their examples only.
 */
function variantCheck(variants: readonly Schema[]): Check {
  const checks = variants.map((variant) => ({ kind: kindOf(variant), check: compile(variant) }))
  return (value, problems, path) => {
    const fields = isObject(value) ? value : null
    const alike = checks.filter(({ kind }) => fields === null || mayBe(fields, kind))
    if (alike.some(({ check }) => check(value, null, ''))) return true
    const perVariant = (alike.length > 0 ? alike : checks).map(({ check }) => {
      const own: Problems = []
      check(value, own, path)
      return own
    })
    problems?.push(...(perVariant.sort((one, other) => one.length - other.length)[0] ?? []))
    return false
  }
}

/** The fields that distinguish variants: the required values of `type` and `op`. */
type Kind = { readonly [name in 'type' | 'op']?: readonly unknown[] }

function kindOf(schema: Schema): Kind {
  const { properties = {}, allOf = [] } = resolved(schema)
  const own: Kind = Object.fromEntries(
    (['type', 'op'] as const).flatMap((name) => {
      const values = properties[name] === undefined ? null : valuesOf(properties[name])
      return values === null ? [] : [[name, values]]
    }),
  )
  return Object.assign({}, ...allOf.map(kindOf), own)
}

function valuesOf(schema: Schema): readonly unknown[] | null {
  const { enum: allowed, allOf = [] } = resolved(schema)
  return allowed ?? allOf.map(valuesOf).find((values) => values !== null) ?? null
}

function mayBe(fields: Record<string, unknown>, { type, op }: Kind): boolean {
  return (type?.includes(fields['type']) ?? true) && (op?.includes(fields['op']) ?? true)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
