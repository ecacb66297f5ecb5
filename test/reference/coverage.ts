import type { Refusal } from '#lib/errors.ts'
import { findAnswerSchema } from './document.ts'
import { type DocumentedError, errorInReference } from './errors.ts'
import { eventKind, eventOutlines } from './events.ts'
import { type Outline, outlineOf } from './outline.ts'
import { isObject } from './schema.ts'

/**
 * The parts of the reference documentation that have occurred so far: operations, refusals, events, and fields of
 * responses and events.
 */
export type Coverage = {
  /** The number of successes of each operation (`GET /messages`). */
  readonly successes: ReadonlyMap<string, number>
  readonly refusals: ReadonlySet<DocumentedError>
  /** The number of events of each kind (`stream/create`). */
  readonly events: ReadonlyMap<string, number>
  /** `GET /messages .messages[].id`, and `message .flags` for events. */
  readonly fields: ReadonlySet<string>
  /** The operations that left an entry in the audit log. */
  readonly audited: ReadonlySet<string>
  /** Records the tables that were written before the next response. */
  recordCommit(written: ReadonlySet<string>): void
  recordSuccess(route: string, answer: object): void
  recordRefusal(route: string, refused: Refusal): void
}

export function openCoverage(): Coverage {
  const [successes, events] = [new Map<string, number>(), new Map<string, number>()]
  const refusals = new Set<DocumentedError>()
  const fields = new Set<string>()
  const audited = new Set<string>()
  let hasEntry = false
  const recordEvent = (event: { type: string; op?: unknown }) => {
    const kind = eventKind(event)
    countOne(events, kind)
    recordFields(eventOutlines().get(kind) ?? null, event, `${kind} `, fields)
  }
  const countOne = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

  return {
    successes,
    refusals,
    events,
    fields,
    audited,
    recordCommit(written) {
      hasEntry ||= written.has('auditEntries')
    },
    recordSuccess(route, answer) {
      if (hasEntry) audited.add(route)
      hasEntry = false
      countOne(successes, route)
      if (route === 'GET /events')
        for (const event of (answer as { events: { type: string }[] }).events) recordEvent(event)
      else recordFields(answerOutline(route), answer, `${route} `, fields)
    },
    recordRefusal(route, { kind, message, extras }) {
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
 * Returns the fields that the reference documentation allows in a success of the operation, or an event of the kind,
 * and that have not occurred. If an object never occurred, its path is returned without its fields.
 */
export function uncoveredFields(name: string, covered: ReadonlySet<string>): string[] {
  const outline = answerOutline(name) ?? eventOutlines().get(name) ?? null
  return outline === null ? [] : uncoveredWithin(outline, `${name} `, covered)
}

function uncoveredWithin({ fields, others, items }: Outline, path: string, covered: ReadonlySet<string>): string[] {
  const names = [...fields.keys()].filter((name) => !isEverywhere(name))
  const isUnfilled = names.length > 0 && names.every((name) => !covered.has(`${path}.${name}`))
  if (isUnfilled) return [path]
  return [
    ...names.flatMap((name) => {
      const fieldPath = `${path}.${name}`
      return covered.has(fieldPath) ? uncoveredWithin(fields.get(name) as Outline, fieldPath, covered) : [fieldPath]
    }),
    ...(others === null ? [] : uncoveredWithin(others, `${path}.*`, covered)),
    ...(items === null ? [] : uncoveredWithin(items, `${path}[]`, covered)),
  ]
}

/** Fields of any response, and of any setting whose value is a group. */
const isEverywhere = (name: string) =>
  ['ignored_parameters_unsupported', 'direct_members', 'direct_subgroups'].includes(name)

function recordFields(outline: Outline | null, value: unknown, path: string, into: Set<string>): void {
  if (outline === null) return
  if (Array.isArray(value)) for (const item of value) recordFields(outline.items, item, `${path}[]`, into)
  if (!isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    const known = outline.fields.get(name)
    if (known === undefined) recordFields(outline.others, field, `${path}.*`, into)
    else {
      into.add(`${path}.${name}`)
      recordFields(known, field, `${path}.${name}`, into)
    }
  }
}
