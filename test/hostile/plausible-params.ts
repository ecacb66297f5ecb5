import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'

/** The part of JSON Schema that parameters use. */
export type Schema = {
  type?: string
  anyOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
}

export const schemaOf = (type: z.ZodType): Schema =>
  z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema

/** Returns a value of the schema; strings that are not fixed are `text`. */
export function exampleOf(schema: Schema, text: string): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) {
    const values = schema.anyOf.map((option) => exampleOf(option, text))
    return values.find((value) => containsText(value, text)) ?? values[0]
  }
  switch (schema.type) {
    case 'string':
      return text
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return false
    case 'array':
      return schema.prefixItems?.map((item) => exampleOf(item, text)) ?? [exampleOf(schema.items ?? {}, text)]
    case 'object':
      return objectOf(schema, text)
    default:
      return null
  }
}

function objectOf({ properties = {}, additionalProperties }: Schema, text: string): Record<string, unknown> {
  const named = Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, text)])
  const others = typeof additionalProperties === 'object' ? [[text, exampleOf(additionalProperties, text)]] : []
  return Object.fromEntries([...named, ...others])
}

/** Returns whether the value contains the text. */
export const containsText = (value: unknown, text: string): boolean => JSON.stringify(value ?? null).includes(text)

/** Returns the parameters that the endpoint needs, each with the value of its name, or one of its type. */
export function neededParams(endpoint: Endpoint, known: Record<string, unknown>): Record<string, unknown> {
  const params: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(endpoint.params)) {
    if (Object.hasOwn(known, name) && type.safeParse(known[name]).success) params[name] = known[name]
    else if (!type.safeParse(undefined).success) params[name] = exampleOf(schemaOf(type), 'text')
  }
  return params
}

/** Returns the endpoint's path with the values of these names in it. */
export const pathOf = ({ path }: Endpoint, known: Record<string, unknown>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(known[name] ?? 1)))
