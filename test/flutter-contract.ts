import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const file = path.resolve(import.meta.dirname, '../../shared/reference/flutter-contract.json')

/** Why tests against the mobile app's decoders are skipped; false when what they demand is there. */
export const noFlutterContract: string | false = !existsSync(file) && `${file} is absent`

type Field = {
  type: 'number' | 'string' | 'bool' | 'list' | 'map' | 'object' | 'enum' | 'custom'
  nullable: boolean
  /** Of lists and maps: what they hold. */
  of?: string
  /** Of objects: their class. */
  ref?: string
  enum?: readonly unknown[]
  open_enum?: boolean
  pattern?: string
}

type Contract = { classes: Record<string, Record<string, Field>>; events: Record<string, string> }

let contract: Contract | undefined

function read(): Contract {
  contract ??= JSON.parse(readFileSync(file, 'utf8')) as Contract
  return contract
}

/** What the app's decoder of a class would stumble over. Classes that it reads by hand-written code are not looked into. */
export function flutterComplaints(className: string, value: unknown, place = className): string[] {
  if (className === 'number' || className === 'string') {
    return typeof value === className ? [] : [`${place}: ${JSON.stringify(value)} is no ${className}`]
  }
  const fields = read().classes[className]
  if (fields === undefined) return []
  if (typeof value !== 'object' || value === null) return [`${place}: is no object`]
  return Object.entries(fields).flatMap(([name, field]) =>
    fieldComplaints(field, (value as Record<string, unknown>)[name], `${place}.${name}`),
  )
}

/** The same for an event; types that the app does not know it leaves alone. */
export function flutterEventComplaints(event: { type: string; op?: unknown }): string[] {
  const { events } = read()
  const className = events[`${event.type}/${event.op}`] ?? events[event.type]
  return className === undefined ? [] : flutterComplaints(className, event)
}

function fieldComplaints(field: Field, value: unknown, place: string): string[] {
  if (value === null || value === undefined) {
    return field.nullable || field.type === 'custom' ? [] : [`${place}: is missing or null`]
  }
  switch (field.type) {
    case 'list':
      if (!Array.isArray(value)) return [`${place}: is no list`]
      return value.flatMap((item, index) => flutterComplaints(field.of ?? '', item, `${place}[${index}]`))
    case 'map':
      return Object.entries(value).flatMap(([key, item]) => flutterComplaints(field.of ?? '', item, `${place}.${key}`))
    case 'object':
      return flutterComplaints(field.ref ?? '', value, place)
    case 'enum':
      return field.open_enum || field.enum?.includes(value) ? [] : [`${place}: ${JSON.stringify(value)} is not known`]
    case 'custom':
      return []
    default:
      return valueComplaints(field, value, place)
  }
}

function valueComplaints({ type, pattern }: Field, value: unknown, place: string): string[] {
  const isRight = typeof value === (type === 'bool' ? 'boolean' : type)
  const fits = pattern === undefined || new RegExp(pattern).test(String(value))
  return isRight && fits ? [] : [`${place}: ${JSON.stringify(value)} is no ${type}${pattern ?? ''}`]
}
