import type { Refusal } from '../../server/platform/errors/refusal.ts'
import { findAnswerSchema } from './document.ts'
import { type DocumentedError, errorInReference } from './errors.ts'
import { eventKind, eventOutlines } from './events.ts'
import { type Outline, outlineOf } from './outline.ts'
import { isObject } from './schema.ts'

/**
 * The parts of the reference that have occurred so far: operations, refusals, events, and fields of responses and
 * events.
 */
export type Coverage = {
  /** The number of successes of each operation (`GET /messages`). */
  readonly successes: ReadonlyMap<string, number>
  readonly refusals: ReadonlySet<DocumentedError>
  /** The number of events of each kind (`stream/create`). */
  readonly events: ReadonlyMap<string, number>
  /** `GET /messages .messages[].id`, and `message .flags` for events. */
  readonly fields: ReadonlySet<string>
  noteSuccess(route: string, answer: object): void
  noteRefusal(route: string, refused: Refusal): void
}

export function openCoverage(): Coverage {
  const [successes, events] = [new Map<string, number>(), new Map<string, number>()]
  const refusals = new Set<DocumentedError>()
  const fields = new Set<string>()
  const noteEvent = (event: { type: string; op?: unknown }) => {
    const kind = eventKind(event)
    countOne(events, kind)
    noteFields(eventOutlines().get(kind) ?? null, event, `${kind} `, fields)
  }
  const countOne = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

  return {
    successes,
    refusals,
    events,
    fields,
    noteSuccess(route, answer) {
      countOne(successes, route)
      if (route === 'GET /events')
        for (const event of (answer as { events: { type: string }[] }).events) noteEvent(event)
      else noteFields(answerOutline(route), answer, `${route} `, fields)
    },
    noteRefusal(route, { kind, message, extras }) {
      const error = errorInReference(route, kind.status, { ...extras, msg: message, code: kind.code })
      if (error !== null) refusals.add(error)
    },
  }
}

const answerOutlines = new Map<string, Outline | null>()

function answerOutline(route: string): Outline | null {
  let outline = answerOutlines.get(route)
  if (outline === undefined) {
    const schema = findAnswerSchema(route, 200)
    outline = schema === null ? null : outlineOf(schema)
    answerOutlines.set(route, outline)
  }
  return outline
}

/**
 * Returns the fields that the reference allows in a success of the operation, or an event of the kind, and that have
 * not occurred. If an object never occurred, its path is returned without its fields.
 */
export function uncoveredFields(name: string, met: ReadonlySet<string>): string[] {
  const outline = answerOutline(name) ?? eventOutlines().get(name) ?? null
  return outline === null ? [] : notMetWithin(outline, `${name} `, met)
}

function notMetWithin({ fields, others, items }: Outline, place: string, met: ReadonlySet<string>): string[] {
  const names = [...fields.keys()].filter((name) => !isEverywhere(name))
  const isUnfilled = names.length > 0 && names.every((name) => !met.has(`${place}.${name}`))
  if (isUnfilled) return [place]
  return [
    ...names.flatMap((name) => {
      const at = `${place}.${name}`
      return met.has(at) ? notMetWithin(fields.get(name) as Outline, at, met) : [at]
    }),
    ...(others === null ? [] : notMetWithin(others, `${place}.*`, met)),
    ...(items === null ? [] : notMetWithin(items, `${place}[]`, met)),
  ]
}

/** Fields of any response, and of any setting whose value is a group. */
const isEverywhere = (name: string) =>
  ['ignored_parameters_unsupported', 'direct_members', 'direct_subgroups'].includes(name)

function noteFields(outline: Outline | null, value: unknown, place: string, into: Set<string>): void {
  if (outline === null) return
  if (Array.isArray(value)) for (const item of value) noteFields(outline.items, item, `${place}[]`, into)
  if (!isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    const known = outline.fields.get(name)
    if (known === undefined) noteFields(outline.others, field, `${place}.*`, into)
    else {
      into.add(`${place}.${name}`)
      noteFields(known, field, `${place}.${name}`, into)
    }
  }
}
