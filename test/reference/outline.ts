import { resolved } from './document.ts'
import { isObject, type Schema } from './schema.ts'

/** A summary of a schema with all its variants combined: JSON types and nested outlines. */
export type Outline = {
  readonly types: ReadonlySet<string>
  /** Null means any value of the types. */
  readonly values: ReadonlySet<unknown> | null
  readonly fields: ReadonlyMap<string, Outline>
  /** The outline of additional fields; null if there are none. */
  readonly others: Outline | null
  readonly items: Outline | null
}

/** Schemas of the reference documentation and of zod. The latter list `null` among the types, and have `const`. */
export type AnySchema = Omit<Schema, 'type'> & { type?: string | readonly string[]; const?: unknown }

const empty: Outline = { types: new Set(), values: null, fields: new Map(), others: null, items: null }

/** Returns the outline of a schema. Without types, it allows any value. */
export function outlineOf(given: AnySchema): Outline {
  const schema = resolved<AnySchema>(given as AnySchema)
  const parts = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  return parts.map((part) => outlineOf(part)).reduce(overlay, ownOutline(schema))
}

function ownOutline(schema: AnySchema): Outline {
  const { type, nullable, properties = {}, additionalProperties, items } = schema
  const types = type === undefined ? [] : typeof type === 'string' ? [type] : type
  const values = schema.enum ?? (schema.const === undefined ? null : [schema.const])
  return {
    types: new Set([...types, ...(nullable === true ? ['null'] : [])]),
    values: values === null ? null : new Set(values),
    fields: new Map(Object.entries(properties).map(([name, field]) => [name, outlineOf(field)])),
    others: isObject(additionalProperties) ? outlineOf(additionalProperties) : null,
    items: isObject(items) ? outlineOf(items) : null,
  }
}

function overlay(one: Outline, other: Outline): Outline {
  const fields = new Map(one.fields)
  for (const [name, field] of other.fields) fields.set(name, overlay(fields.get(name) ?? empty, field))
  return {
    types: one.types.union(other.types),
    values: one.values === null ? other.values : other.values === null ? one.values : one.values.union(other.values),
    fields,
    others: overlayed(one.others, other.others),
    items: overlayed(one.items, other.items),
  }
}

const overlayed = (one: Outline | null, other: Outline | null) =>
  one === null ? other : other === null ? one : overlay(one, other)

/**
 * Returns how our outline differs from that of the reference documentation: fields of only one side, and types and
 * values of only ours.
 */
export function outlineDifferences(theirs: Outline, ours: Outline, place = ''): string[] {
  const isAnything = (outline: Outline) => outline.types.size === 0 && outline.fields.size === 0
  if (isAnything(theirs) || isAnything(ours)) return []
  const missing = [...theirs.fields.keys()].filter((name) => !ours.fields.has(name) && ours.others === null)
  const extra = [...ours.fields.keys()].filter((name) => !theirs.fields.has(name) && theirs.others === null)
  return [
    ...missing.map((name) => `${place}.${name}: only the reference has it`),
    ...extra.map((name) => `${place}.${name}: only we have it`),
    ...typeDifferences(theirs, ours, place),
    ...Array.from(theirs.fields).flatMap(([name, field]) =>
      outlineDifferences(field, ours.fields.get(name) ?? empty, `${place}.${name}`),
    ),
    ...(theirs.others && ours.others ? outlineDifferences(theirs.others, ours.others, `${place}.*`) : []),
    ...(theirs.items && ours.items ? outlineDifferences(theirs.items, ours.items, `${place}[]`) : []),
  ]
}

function typeDifferences(theirs: Outline, ours: Outline, place: string): string[] {
  const types = [...widened(ours.types)].filter((type) => !widened(theirs.types).has(type))
  const values = [...(ours.values ?? [])].filter((value) => !(theirs.values?.has(value) ?? true))
  return [
    ...types.map((type) => `${place}: only we have it as ${type}`),
    ...values.map((value) => `${place}: only we have the value ${JSON.stringify(value)}`),
  ]
}

/** An integer is also a number; the reference documentation does not use them consistently. */
export const widened = (types: ReadonlySet<string>) =>
  new Set([...types].map((type) => (type === 'integer' ? 'number' : type)))
