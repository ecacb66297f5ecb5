import type { EventQueue, Payload, QueueForm } from '#events/queues/event-queue.ts'
import { shapeEvent } from '#events/shapes.ts'
import type { Refusal } from '#lib/errors.ts'
import type { Emission } from '#storage/storage.ts'
import { plainForm, webForm } from '../queue-forms.ts'
import { noReferenceSchemas } from './document.ts'
import { errorDifferences } from './errors.ts'
import { eventDifferences } from './events.ts'
import { flutterEventProblems, flutterResponseProblems, noFlutterContract } from './flutter.ts'
import { differencesFromReference } from './response-differences.ts'

/** Returns how a success differs from the reference documentation, and why the mobile app could not decode it. */
export function responseProblems(route: string, answer: object): string[] {
  const problems = noReferenceSchemas ? [] : differencesFromReference(route, answer)
  if (!noFlutterContract) problems.push(...flutterResponseProblems(route, answer))
  return problems.map((problem) => `${route} differs from the reference: ${problem}`)
}

/** Returns how a refusal differs from the reference documentation. */
export function refusalProblems(route: string, { kind, message, extras }: Refusal): string[] {
  if (noReferenceSchemas) return []
  const body = { result: 'error', msg: message, ...extras, code: kind.code }
  return errorDifferences(route, kind.status, body).map(
    (problem) => `${route} refuses otherwise than the reference: ${problem}`,
  )
}

const oldForm: QueueForm = { ...plainForm, allPublicChannels: true }

/** The registration of the mobile app. */
const mobileForm: QueueForm = { ...webForm, allPublicChannels: true, computesGravatar: false }

type ShapedEvent = { id: number; type: string; op?: unknown; [field: string]: unknown }

/** Returns the event as a client without new capabilities receives it, and as the mobile app does. */
function shapedEvents({ event }: Emission): { plain: ShapedEvent[]; mobile: ShapedEvent[] } {
  const payload = JSON.parse(JSON.stringify(event)) as Payload
  const logged = { id: 1, type: event.type, payload, audience: new Set([1]), size: 0 }
  const read = (form: QueueForm, id: string) => {
    const queue: EventQueue = { ...aQueue, id, form }
    return JSON.parse(`[${shapeEvent(logged, queue)}]`) as ShapedEvent[]
  }
  return { plain: read(oldForm, 'plain'), mobile: read(mobileForm, String(payload['local_queue_id'] ?? 'mobile')) }
}

const aQueue = { realmId: 1, userId: 1, registeredAt: 0, startId: 0, lifespan: 600, acknowledgedId: 0, polledAt: 0 }

/** Returns how an event differs from the reference documentation, and why the mobile app could not decode it. */
export function eventProblems(emission: Emission): string[] {
  if (noReferenceSchemas || noFlutterContract) return []
  const { plain, mobile } = shapedEvents(emission)
  const problems = [...[...plain, ...mobile].flatMap(eventDifferences), ...mobile.flatMap(flutterEventProblems)]
  const { type, op } = emission.event
  const name = op === undefined ? type : `${type}/${op}`
  return problems.map((problem) => `The event ${name} differs from the reference: ${problem}`)
}
