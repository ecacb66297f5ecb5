import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { findOperation, resolved } from './document.ts'
import { type Outline, outlineOf, widened } from './outline.ts'
import type { Content, Parameter, Schema } from './schema.ts'

/** A documented or declared parameter. */
type DeclaredParameter = {
  readonly isRequired: boolean
  /** True if its text is JSON; otherwise it is used literally. */
  readonly isJson: boolean
  /** The default as JSON; undefined if there is none. */
  readonly default: string | undefined
  readonly outline: Outline
}

type Parameters = ReadonlyMap<string, DeclaredParameter>

/** Returns the parameters that the reference server documents for an operation, except path parameters. */
export function documentedParameters(route: string): Parameters {
  const operation = findOperation(route)
  const found = new Map<string, DeclaredParameter>()
  for (const given of operation?.parameters ?? []) {
    const parameter = resolved<Parameter>(given as Parameter)
    if (parameter.in !== 'query') continue
    const { name, required = false, schema, content } = parameter
    found.set(name, toParameter(schema ?? jsonSchema(content), required, content !== undefined))
  }
  const body = operation?.requestBody === undefined ? undefined : resolved(operation.requestBody)
  for (const [type, { schema: given, encoding = {} } = {} as never] of Object.entries(body?.content ?? {})) {
    if (type === 'application/json' || given === undefined) continue
    const { properties = {}, required = [] } = resolved<Schema>(given)
    for (const [name, schema] of Object.entries(properties)) {
      const isJson = encoding[name]?.contentType === 'application/json'
      found.set(name, toParameter(schema, required.includes(name), isJson))
    }
  }
  return found
}

const jsonSchema = (content: Content | undefined) => content?.['application/json']?.schema ?? {}

function toParameter(schema: Schema, isRequired: boolean, isJson: boolean): DeclaredParameter {
  const outline = outlineOf(schema)
  const isText = outline.types.has('string') || outline.types.size === 0
  const { default: whenOmitted } = resolved(schema) as { default?: unknown }
  return { isRequired, isJson: isJson || !isText, default: JSON.stringify(whenOmitted), outline }
}

/** Returns the parameters that an endpoint declares, except path parameters. */
export function declaredParameters({ params }: Endpoint): Parameters {
  return new Map(
    Object.entries(params).map(([name, type]) => {
      const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema & { default?: unknown }
      const isJson = !(schema.type === 'string' || (schema.type === undefined && schema.enum !== undefined))
      const isRequired = !type.safeParse(undefined).success
      return [name, { isRequired, isJson, default: JSON.stringify(schema.default), outline: outlineOf(schema) }]
    }),
  )
}

/** Returns how the declared parameters differ from the documented ones. */
export function parameterDifferences(theirs: Parameters, ours: Parameters): string[] {
  const missing = [...theirs.keys()].filter((name) => !ours.has(name))
  const extra = [...ours.keys()].filter((name) => !theirs.has(name))
  return [
    ...missing.map((name) => `${name}: only the reference has it`),
    ...extra.map((name) => `${name}: only we have it`),
    ...Array.from(theirs).flatMap(([name, their]) => {
      const our = ours.get(name)
      return our === undefined ? [] : declarationDifferences(their, our).map((difference) => `${name}: ${difference}`)
    }),
  ]
}

function declarationDifferences(theirs: DeclaredParameter, ours: DeclaredParameter): string[] {
  const differences: string[] = []
  if (theirs.isRequired !== ours.isRequired)
    differences.push(ours.isRequired ? 'we require it' : 'we do not require it')
  if (theirs.isJson !== ours.isJson) differences.push(ours.isJson ? 'we read it as JSON' : 'we do not read it as JSON')
  if (theirs.default !== undefined && ours.default !== undefined && theirs.default !== ours.default)
    differences.push(`${ours.default} by default, there ${theirs.default}`)
  const [theirTypes, ourTypes] = [widened(theirs.outline.types), widened(ours.outline.types)]
  const lacking = ourTypes.size === 0 ? [] : [...theirTypes].filter((type) => !ourTypes.has(type))
  if (lacking.length > 0) differences.push(`we do not take it as ${lacking.join(', ')}`)
  const values = [...(theirs.outline.values ?? [])].filter((value) => !(ours.outline.values?.has(value) ?? true))
  if (values.length > 0) differences.push(`we do not know ${values.join(', ')}`)
  return differences
}
