export type SchemaType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean'

/** A schema of OpenAPI 3.0, with the keywords that the reference documentation uses. */
export type Schema = {
  $ref?: string
  type?: SchemaType
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
  deprecated?: boolean
  example?: unknown
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export type Content = Record<string, { schema?: Schema } | undefined>

export type Parameter = { name: string; in: string; required?: boolean; schema?: Schema; content?: Content }

export type Operation = {
  parameters?: readonly (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, { schema: Schema; encoding?: Record<string, { contentType?: string }> }> }
  responses: Record<string, { $ref?: string; content?: Content }>
}
