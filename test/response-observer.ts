import { z } from 'zod'
import { loggedEvent } from '#events/catalogue.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { commonRefusals } from '#http/refusals.ts'
import type { Refusal } from '#lib/errors.ts'
import type { Commit, Emission } from '#storage/storage.ts'
import type { Coverage } from './reference/coverage.ts'
import { eventProblems, refusalProblems, responseProblems } from './reference/problems.ts'

/** Observes responses, and reports fields and refusals that endpoints do not declare. */
export type ResponseObserver = {
  observeResponse(endpoint: Endpoint, answer: { status: number; body: string }, refused: Refusal | null): void
  /** Must be called with every commit, and checks its events. */
  observeCommit(commit: Pick<Commit, 'emitted' | 'written'>): void
  /** Checks an event that is published without a commit. */
  observeEvent(emission: Emission): void
  /** Throws if problems were found since the last call. */
  assertNone(): void
}

const types = new Map<Endpoint, z.ZodType>()

/** Returns the declared type of the response; it is built once, because building takes longer than checking. */
function typeOf(endpoint: Endpoint): z.ZodType {
  const known = types.get(endpoint)
  if (known !== undefined) return known
  const type = z.strictObject({
    result: z.literal('success'),
    msg: z.literal(''),
    ...endpoint.returns,
    ignored_parameters_unsupported: z.array(z.string()).optional(),
  })
  types.set(endpoint, type)
  return type
}

/**
 * A response must have exactly the declared fields; a refusal must be on the endpoint's list, or be common; and the
 * reference documentation, if present, must allow both, and every event. Its observed parts are added to `seen`.
 */
export function observeResponses(seen?: Coverage): ResponseObserver {
  let complaints: string[] = []

  function observeEvent(emission: Emission): void {
    const checked = loggedEvent.safeParse(JSON.parse(JSON.stringify(emission.event)))
    if (!checked.success) {
      const { type, op } = emission.event
      complaints.push(`The event ${type} ${op ?? ''} differs from the catalogue: ${checked.error.message}`)
    }
    complaints.push(...eventProblems(emission))
  }

  return {
    observeResponse(endpoint, answer, refused) {
      const name = `${endpoint.method} ${endpoint.path}`
      if (refused !== null) {
        const isDeclared =
          commonRefusals.some((kind) => kind === refused.kind) || endpoint.refuses.includes(refused.kind)
        if (!isDeclared) complaints.push(`${name} refuses undeclared: ${refused.message}`)
        complaints.push(...refusalProblems(name, refused))
        seen?.recordRefusal(name, refused)
        return
      }
      const body = JSON.parse(answer.body)
      const checked = typeOf(endpoint).safeParse(body)
      if (!checked.success) complaints.push(`${name} answers undeclared: ${checked.error.message}`)
      complaints.push(...responseProblems(name, body))
      seen?.recordSuccess(name, body)
    },
    observeCommit({ emitted, written }) {
      seen?.recordCommit(written)
      for (const emission of emitted) observeEvent(emission)
    },
    observeEvent,
    assertNone() {
      const settled = complaints
      complaints = []
      if (settled.length > 0) throw new Error(settled.join('\n'))
    },
  }
}
