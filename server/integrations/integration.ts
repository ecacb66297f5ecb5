import { z } from 'zod'
import type { Delivery } from '#http/endpoint.ts'
import { Refusal, refusal } from '#lib/errors.ts'
import { bold, type Markdown, md } from './markdown.ts'
import type { VerifySignature } from './signatures.ts'

// The shape of an integration: a declared value and pure functions from payloads to messages. The route, the catalogue
// and the tests derive from it, so a service needs one file in `services/` and a line in `catalogue.ts`. A payload is
// parsed by a schema of the fields that are read, and everything else in it is ignored. A payload that does not match is
// refused; no function may crash, whatever it is given.

/** The categories of services, in the order in which the catalogue lists them. */
export const categories = [
  'Version control',
  'Continuous integration',
  'Deployment',
  'Monitoring',
  'Project management',
  'Customer support',
  'Communication',
  'Finance',
  'Marketing',
  'Media',
  'Productivity',
  'Meta',
] as const

/**
 * A message for the channel. `event` is its kind, if it is more exact than that of the delivery. If the URL names no
 * channel, the person with the email address `recipient` gets it, or the owner of the bot. `channel` replaces the channel
 * of the URL.
 */
export type WebhookMessage = {
  topic: string
  content: Markdown
  event?: string
  recipient?: string | undefined
  channel?: string | undefined
}

/** The messages of a delivery; null if it is ignored on purpose. */
export type WebhookMessages = WebhookMessage | readonly WebhookMessage[] | null

/** A delivery as services see it. */
export type WebhookRequest = {
  /** The kind of event; '' for services that have only one. */
  readonly event: string
  /** The topic that the URL names, if any. It replaces those of all messages; few services need it. */
  readonly topic: string | undefined
  /** Returns a header of the request. */
  header(name: string): string | undefined
  /** Returns a parameter of the URL, such as an option of the service. */
  param(name: string): string | undefined
  /** Returns false for branches that the parameter `branches` leaves out. */
  wantsBranch(branch: string): boolean
  /** True if events of private repositories are ignored. */
  readonly ignoresPrivate: boolean
}

type Handler = (payload: unknown, request: WebhookRequest) => WebhookMessages

/** The bot that received a delivery, as the API shows it. */
type ReceivingBot = { readonly full_name: string; readonly email: string; readonly id: number }

/** The response that a service expects: a text, or fields beside those of each successful response. */
export type ExpectedResponse = string | { readonly challenge: string } | ReceivingBot

/** A parameter of the URL that only this service has. */
type IntegrationOption = { readonly name: string; readonly label: string }

/** A delivery of a service. */
export type Sample = {
  /** The headers that the service reads. */
  readonly headers?: Readonly<Record<string, string>>
  readonly payload: Readonly<Record<string, unknown>> | readonly unknown[]
}

type Declaration = {
  /** The name in the URL. */
  name: string
  title: string
  category: (typeof categories)[number]
  /** A few words about the messages. */
  summary: string
  logo: { letter: string; color: string }
  /** The steps in the service after the URL was copied, as Markdown. */
  steps: readonly string[]
  /** A delivery whose messages the page of the integration shows, and that is sent as a test message. */
  sample: Sample
  options?: readonly IntegrationOption[]
  /** True if the payload is a form. Its fields `stream` and `topic` come before those of the URL. */
  isForm?: true
  /** True if the service escapes the URL once more, so that the channel and the topic arrive escaped. */
  escapesUrlTwice?: true
  /** Reads the payload of a request that is neither JSON nor a form; null if it is. */
  read?: (delivery: Delivery) => unknown
  /** True if it leaves out private repositories on request. */
  knowsPrivate?: true
  /** Checks the signature of a delivery, if a secret is set. */
  verify?: VerifySignature
  /** Returns what the service expects as the response; undefined for the usual one. */
  responseTo?: (payload: unknown, bot: ReceivingBot) => ExpectedResponse | undefined
} & (
  | {
      /** The header that names the event. */
      eventHeader: string
      events: Readonly<Record<string, Handler>>
    }
  | {
      /** Returns the name of the event in the payload. */
      eventOf: (payload: unknown, request: Omit<WebhookRequest, 'event'>) => string
      events: Readonly<Record<string, Handler>>
    }
  | { handle: Handler }
)

/** A service that sends webhooks. */
export type Integration = Readonly<Omit<Declaration, 'options' | 'read'>> & {
  readonly options: readonly IntegrationOption[]
  /** The kinds of events in alphabetical order; empty if there is only one. */
  readonly eventNames: readonly string[]
  readonly read: (delivery: Delivery) => unknown
  /** Returns the kind of event of a payload; null if it names none. */
  findEvent(payload: unknown, request: Omit<WebhookRequest, 'event'>): string | null
  /** Returns the messages of a payload, each with its event. */
  toMessages(payload: unknown, request: Omit<WebhookRequest, 'event'>): (WebhookMessage & { event: string })[]
}

export const unsupportedEvent = refusal(
  'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
  200,
  "The '{event}' event isn't currently supported by the {name} webhook; ignoring",
  { extras: ({ event, name }: { event: string; name: string }) => ({ webhook_name: name, event_type: event }) },
)
export const missingEventHeader = refusal(
  'MISSING_HTTP_EVENT_HEADER',
  400,
  "Missing the HTTP event header '{header}'",
  { extras: ({ header }: { header: string }) => ({ header }) },
)
export const invalidJson = refusal('INVALID_JSON', 400, 'Malformed JSON')
export const unexpectedPayload = refusal(
  'ANOMALOUS_WEBHOOK_PAYLOAD',
  400,
  'Unable to parse request: Did {name} generate this event?',
  { extras: ({ name }: { name: string }) => ({ webhook_name: name }) },
)

/** Thrown by a service for an event or action that it does not know. */
class UnknownEvent {
  readonly event: string
  constructor(event: string) {
    this.event = event
  }
}

/** Thrown by a service for a payload that it cannot read. */
class BadPayload {}

/** Ends the handling of an event that the service does not know. The response says so, and is successful. */
export const unknownEvent = (event: string): never => {
  throw new UnknownEvent(event)
}

/** Ends the handling of a payload that lacks something. */
export const badPayload = (): never => {
  throw new BadPayload()
}

/** Returns the value, or refuses the payload if it is missing. */
export const need = <Value>(value: Value | null | undefined): Value => value ?? badPayload()

/** Returns a handler of payloads of a type. It refuses all others. */
export function on<Schema extends z.ZodType>(
  schema: Schema,
  handle: (payload: z.output<Schema>, request: WebhookRequest) => WebhookMessages,
): Handler {
  return (payload, request) => handle(parse(schema, payload), request)
}

/** Returns the payload as a value of the type. Refuses it if it is not one. */
export function parse<Schema extends z.ZodType>(schema: Schema, payload: unknown): z.output<Schema> {
  const parsed = schema.safeParse(payload)
  return parsed.success ? parsed.data : badPayload()
}

/** Returns a function that reads the name of the event from these fields, joined by a colon. */
export function eventIn(...fields: readonly string[]): (payload: unknown) => string {
  const schema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])))
  return (payload) => {
    const values = parse(schema, payload) as Record<string, string>
    return fields.map((field) => values[field]).join(':')
  }
}

/** A handler of events that are ignored on purpose. */
export const ignore: Handler = () => null

export function integration(declaration: Declaration): Integration {
  const { title } = declaration
  const eventNames = 'events' in declaration ? Object.keys(declaration.events).toSorted() : []

  function eventOf(payload: unknown, request: Omit<WebhookRequest, 'event'>): string {
    if ('handle' in declaration) return ''
    if ('eventOf' in declaration) return declaration.eventOf(payload, request)
    const event = request.header(declaration.eventHeader)
    if (event === undefined || event === '') throw missingEventHeader({ header: declaration.eventHeader })
    return event
  }

  /** In version control, the topic alone names the repository and the branch or the title, so the message does if the URL replaces it. */
  const isNamed = (topic: string | undefined) => topic !== undefined && declaration.category === 'Version control'

  function handlerOf(event: string): Handler {
    if ('handle' in declaration) return declaration.handle
    return Object.hasOwn(declaration.events, event) ? (declaration.events[event] as Handler) : unknownEvent(event)
  }

  return {
    options: [],
    ...declaration,
    read: (delivery) => declaration.read?.(delivery) ?? (declaration.isForm ? readForm : readPayload)(delivery),
    eventNames,
    findEvent(payload, given) {
      try {
        return eventOf(payload, given) || null
      } catch (error) {
        if (error instanceof UnknownEvent) return error.event
        if (error instanceof BadPayload || error instanceof Refusal) return null
        throw error
      }
    },
    toMessages(payload, given) {
      try {
        const event = eventOf(payload, given)
        const messages = handlerOf(event)(payload, { ...given, event }) ?? []
        return (Array.isArray(messages) ? messages : [messages]).map((message) => ({
          ...{ event, ...message },
          content: isNamed(given.topic) ? md`${bold(message.topic)}: ${message.content}` : message.content,
        }))
      } catch (error) {
        if (error instanceof UnknownEvent) throw unsupportedEvent({ event: error.event, name: title })
        if (error instanceof BadPayload) throw unexpectedPayload({ name: title })
        throw error
      }
    },
  }
}

/** The maximum nesting of lists and objects in a payload. */
const MAX_DEPTH = 64

/** The maximum number of commas between the values of a payload. Longer lists could not be spread as arguments. */
const MAX_COMMAS = 50_000

/** Returns whether JSON is nested too deeply to be handled by recursive functions, or has too many values. */
function isTooLarge(json: string): boolean {
  let depth = 0
  let commas = 0
  let isInString = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at)
    if (isInString) {
      if (character === 0x5c) at += 1
      else if (character === 0x22) isInString = false
    } else if (character === 0x22) isInString = true
    else if (character === 0x5b || character === 0x7b) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (character === 0x5d || character === 0x7d) depth -= 1
    else if (character === 0x2c && ++commas > MAX_COMMAS) return true
  }
  return false
}

/** Parses the JSON of a payload. Refuses malformed JSON, and JSON that is nested too deeply or has too many values. */
export function readJson(text: string): unknown {
  if (isTooLarge(text)) throw invalidJson()
  try {
    return JSON.parse(text)
  } catch {
    throw invalidJson()
  }
}

/** Reads JSON: the body, or the field `payload` of a form. */
function readPayload({ body, rawBody }: Delivery): unknown {
  return readJson(body.get('payload') ?? rawBody.toString('utf8'))
}

/** Reads the fields of a form as an object of texts. */
function readForm({ body }: Delivery): unknown {
  return Object.fromEntries(body)
}

export const invalidOption = refusal('BAD_REQUEST', 400, "Invalid value of the parameter '{name}'")

/** True for refusals about the payload, of which the bot's owner is told. */
export const isPayloadRefusal = (error: unknown): error is Refusal =>
  error instanceof Refusal && [invalidJson, unexpectedPayload, missingEventHeader].some((kind) => kind === error.kind)
