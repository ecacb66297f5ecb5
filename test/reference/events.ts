import { type Problems, problemsOf } from './compile.ts'
import { findAnswerSchema, noReferenceSchemas, resolved } from './document.ts'
import { type Outline, outlineOf } from './outline.ts'
import type { Schema } from './schema.ts'

let known: Schema | undefined

/** Returns the schema of the events that `GET /events` returns. */
function eventSchema(): Schema {
  known ??= partsOf(findAnswerSchema('GET /events', 200) ?? {})
    .map((part) => part.properties?.['events']?.items)
    .find((items) => items !== undefined)
  if (known === undefined) throw new Error('The reference has no events')
  return known
}

function partsOf(schema: Schema): Schema[] {
  const found = resolved(schema)
  return [found, ...(found.allOf ?? []).flatMap(partsOf)]
}

/** Returns how an event differs from the reference documentation. */
export function eventDifferences(event: { type: string; op?: unknown }): Problems {
  return problemsOf(eventSchema(), event)
}

/** Returns the kind of an event: `stream/create`, or just `message`. */
export const eventKind = ({ type, op }: { type: string; op?: unknown }): string =>
  op === undefined ? type : `${type}/${op}`

let outlines: ReadonlyMap<string, Outline> | undefined

/** Returns the kinds of events that the reference server documents, with the outlines of their fields. */
export function eventOutlines(): ReadonlyMap<string, Outline> {
  outlines ??= new Map(
    (noReferenceSchemas ? [] : (eventSchema().oneOf ?? [])).map((variant) => {
      const outline = outlineOf(variant)
      const [type, op] = [onlyValue(outline.fields.get('type')), onlyValue(outline.fields.get('op'))]
      return [eventKind({ type: String(type), op }), outline]
    }),
  )
  return outlines
}

const onlyValue = (outline: Outline | undefined): unknown => [...(outline?.values ?? [])][0]
