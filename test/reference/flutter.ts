import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from './schema.ts'

const file = path.resolve(import.meta.dirname, '../../../shared/reference/flutter-contract.json')

/**
 * The reason why tests against the mobile app's decoders are skipped; false if the description of the decoders is
 * available.
 */
export const noFlutterContract: string | false = !existsSync(file) && `${file} is absent`

type Field = {
  type: 'number' | 'string' | 'bool' | 'list' | 'map' | 'object' | 'enum' | 'custom'
  nullable: boolean
  /** The type of the items of a list or map. */
  of?: string
  /** The class of an object. */
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

/** Returns why the app could not decode a value as this class. Classes with hand-written decoders are not checked. */
export function flutterProblems(className: string, value: unknown, place = className): string[] {
  if (className === 'number' || className === 'string') {
    return typeof value === className ? [] : [`${place}: ${JSON.stringify(value)} is no ${className}`]
  }
  const fields = fieldsOf(className, value)
  if (fields === null) return []
  if (!isObject(value)) return [`${place}: is no object`]
  return Object.entries(fields).flatMap(([name, field]) => fieldProblems(field, value[name], `${place}.${name}`))
}

/**
 * Returns the fields that a value needs. There are two classes of messages, and messages in events have flags beside
 * them.
 */
function fieldsOf(className: string, value: unknown): Record<string, Field> | null {
  const { classes } = read()
  if (className !== 'Message' && className !== 'MessageNoFlags') return classes[className] ?? null
  const isInChannel = isObject(value) && value['type'] === 'stream'
  const { flags, ...others } = classes[isInChannel ? 'StreamMessage' : 'DmMessage'] ?? {}
  return className === 'Message' && flags !== undefined ? { ...others, flags } : others
}

/** The classes with which the app decodes responses. State is decoded only with the app's own registration. */
const responseClasses: Readonly<Record<string, string>> = {
  'GET /server_settings': 'GetServerSettingsResult',
  'POST /fetch_api_key': 'FetchApiKeyResult',
  'GET /messages': 'GetMessagesResult',
  'GET /messages/{message_id}': 'GetMessageResult',
  'POST /messages': 'SendMessageResult',
  'POST /messages/flags': 'UpdateMessageFlagsResult',
  'POST /messages/flags/narrow': 'UpdateMessageFlagsForNarrowResult',
  'GET /messages/{message_id}/read_receipts': 'GetReadReceiptsResult',
  'GET /users/me': 'GetOwnUserResult',
  'GET /users/me/{stream_id}/topics': 'GetChannelTopicsResult',
  'POST /saved_snippets': 'CreateSavedSnippetResult',
  'POST /user_uploads': 'UploadFileResult',
  'GET /user_uploads/{realm_id_str}/{filename}': 'GetFileTemporaryUrlResult',
}

/** Returns why the app could not decode the response of an operation (`GET /messages`). */
export function flutterResponseProblems(route: string, answer: object): string[] {
  const className = responseClasses[route]
  if (className === undefined) return []
  // The app never requests messages by id, which have no position in a range.
  if (route === 'GET /messages' && !('anchor' in answer)) return []
  // The app identifies itself as Zulip, and gets a server name that it knows.
  return flutterProblems(className, answer).filter((problem) => !problem.includes('"service_extra_emoji"'))
}

/** Returns why the app could not decode an event. The app ignores unknown types. */
export function flutterEventProblems(event: { type: string; op?: unknown; [field: string]: unknown }): string[] {
  const { events } = read()
  const className = events[`${event.type}/${event.op}`] ?? events[event.type]
  return className === undefined ? [] : [...flutterProblems(className, event), ...handWrittenProblems(event)]
}

/** Checks the requirements of the app's code that its classes do not express. */
function handWrittenProblems(event: { type: string; [field: string]: unknown }): string[] {
  const problemUnless = (isMet: boolean, problem: string) => (isMet ? [] : [`${event.type}: ${problem}`])
  const hasTopic = typeof event['stream_id'] === 'number' && typeof event['topic'] === 'string'
  switch (event.type) {
    case 'delete_message':
      return event['message_type'] === 'stream' ? problemUnless(hasTopic, 'stream_id or topic is missing') : []
    case 'typing':
      if (event['message_type'] === 'stream') return problemUnless(hasTopic, 'stream_id or topic is missing')
      return problemUnless(Array.isArray(event['recipients']), 'recipients are missing')
    case 'update_message': {
      const isMoved = event['new_stream_id'] !== undefined || event['subject'] !== undefined
      const isWhole = typeof event['stream_id'] === 'number' && typeof event['orig_subject'] === 'string'
      if (isMoved) return problemUnless(isWhole && event['propagate_mode'] !== undefined, 'a move that is not whole')
      return problemUnless(event['propagate_mode'] === undefined, 'propagate_mode without a move')
    }
    case 'subscription': {
      const { property, value } = event
      if (event['op'] !== 'update') return []
      if (property === 'color') return problemUnless(/^#[0-9a-f]{6}$/.test(String(value)), `color ${value}`)
      return problemUnless(typeof value === 'boolean', `${property} is no boolean`)
    }
    default:
      return []
  }
}

function fieldProblems(field: Field, value: unknown, place: string): string[] {
  if (value === null || value === undefined) {
    return field.nullable || field.type === 'custom' ? [] : [`${place}: is missing or null`]
  }
  switch (field.type) {
    case 'list':
      if (!Array.isArray(value)) return [`${place}: is no list`]
      return value.flatMap((item, index) => flutterProblems(field.of ?? '', item, `${place}[${index}]`))
    case 'map':
      return Object.entries(value).flatMap(([key, item]) => flutterProblems(field.of ?? '', item, `${place}.${key}`))
    case 'object':
      return flutterProblems(field.ref ?? '', value, place)
    case 'enum':
      return field.open_enum || field.enum?.includes(value) ? [] : [`${place}: ${JSON.stringify(value)} is not known`]
    case 'custom':
      return []
    default:
      return valueProblems(field, value, place)
  }
}

function valueProblems({ type, pattern }: Field, value: unknown, place: string): string[] {
  const isRight = typeof value === (type === 'bool' ? 'boolean' : type)
  const fits = pattern === undefined || new RegExp(pattern).test(String(value))
  return isRight && fits ? [] : [`${place}: ${JSON.stringify(value)} is no ${type}${pattern ?? ''}`]
}
