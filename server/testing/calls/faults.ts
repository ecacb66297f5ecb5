import { Readable } from 'node:stream'
import { z } from 'zod'
import { badEventQueueId } from '#events/event-hub.ts'
import { readApiPath } from '#http/authentication.ts'
import type { BufferedResponse, DeferredResponse, HttpRequest, HttpResponse } from '#http/http-types.ts'
import { toRefusalResponse } from '#http/refusals.ts'
import type { Interception } from '#http/server.ts'
import { Deferred } from '#lib/deferred.ts'
import { rateLimitHit } from '#lib/errors.ts'
import { badTestBody, type Fault, requireBody, type TestCall, type TestContext } from './test-call.ts'

// Faults on demand: the next calls that match are answered as clients see them on bad days. The composition root hands
// them the requests of a disposable server; no other server has this code in the path of its requests.

const faultBody = z.strictObject({
  fault: z.enum(['rate_limit', 'slow', 'drop', 'expired_queue', 'repeat_events', 'bad_gateway']),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  path: z
    .string()
    .regex(/^\/[^*]*\*?$/, 'must begin with / and may end with *')
    .optional(),
  user_id: z.int().optional(),
  count: z.int().min(1).max(1000).default(1),
  seconds: z.number().min(0).max(3600).default(1),
})

const MAX_FAULTS = 100

/** Faults of event queues happen to polls only. */
const OF_POLLS: ReadonlySet<Fault['fault']> = new Set(['expired_queue', 'repeat_events'])

function planFault({ faults }: TestContext, body: unknown): { fault_id: number } {
  const { count, ...given } = requireBody(faultBody, body)
  const isPoll = (given.method ?? 'GET') === 'GET' && (given.path ?? '/events') === '/events'
  if (OF_POLLS.has(given.fault) && !isPoll)
    throw badTestBody({ complaint: `path: ${given.fault} happens to GET /events only` })
  if (faults.length >= MAX_FAULTS) throw badTestBody({ complaint: `The body: there are ${MAX_FAULTS} faults already` })
  const ofPoll = OF_POLLS.has(given.fault) && { method: 'GET' as const, path: '/events' }
  const fault_id = (faults.at(-1)?.fault_id ?? 0) + 1
  faults.push({ ...given, ...ofPoll, fault_id, remaining: count })
  return { fault_id }
}

export const faultCalls: TestCall[] = [
  { route: 'GET /testing/faults', answer: async ({ faults }) => ({ faults }) },
  { route: 'POST /testing/faults', answer: async (context, { body }) => planFault(context, body) },
  {
    route: 'DELETE /testing/faults',
    async answer({ faults }) {
      faults.length = 0
      return {}
    },
  },
]

type Answer = Parameters<Interception['answer']>[1]
type Answered = HttpResponse | DeferredResponse

/** The parts of the server that faults need; the services exist once it is open. */
type FaultContext = Pick<TestContext, 'clock' | 'faults'> & { services: () => TestContext['app']['services'] }

/** Returns the interception that lets the planned faults happen, in the order in which they were planned. */
export function interceptWithFaults(context: FaultContext): Interception {
  const { faults } = context

  async function answerWithFault(request: HttpRequest, answer: Answer): Promise<Answered> {
    const userId = faults.some(({ user_id }) => user_id !== undefined) ? await senderId(context, request) : null
    const fault = faults.find((one) => matches(one, request, userId))
    if (fault === undefined) return answer(request)
    // The events of a poll are known only when it is answered.
    if (fault.fault === 'repeat_events') return withRepeatedEvents(await answer(request), () => use(context, fault))
    use(context, fault)
    return answers[fault.fault](fault, request, answer, context)
  }
  return {
    answer: (request, answer) => (faults.length === 0 ? answer(request) : answerWithFault(request, answer)),
    // A connection can be dropped only by a response that is not in memory.
    needsStream: () => faults.some(({ fault }) => fault === 'drop'),
  }
}

function matches({ method, path, user_id }: Fault, request: HttpRequest, userId: number | null): boolean {
  const called = readApiPath(request.path)?.path
  if (called === undefined || request.path === '/api/v1/dev_fetch_api_key') return false
  if (method !== undefined && method !== request.method) return false
  if (user_id !== undefined && user_id !== userId) return false
  if (path === undefined) return true
  return path.endsWith('*') ? called.startsWith(path.slice(0, -1)) : called === path
}

async function senderId({ services }: FaultContext, request: HttpRequest): Promise<number | null> {
  const { authMethod } = readApiPath(request.path) ?? {}
  if (authMethod === undefined) return null
  return (await services().authentication.findSender(request, authMethod))?.id ?? null
}

function use({ faults }: FaultContext, fault: Fault): void {
  fault.remaining -= 1
  const at = faults.indexOf(fault)
  if (fault.remaining === 0 && at !== -1) faults.splice(at, 1)
}

const BAD_GATEWAY = `<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center></body>
</html>
`

/** A body that fails before its first byte, so that the connection is closed without a response. */
const BROKEN = { length: 1, open: () => new Readable({ read: (): void => void 0 }).destroy(new Error('dropped')) }

const answers: Readonly<
  Record<
    Exclude<Fault['fault'], 'repeat_events'>,
    (fault: Fault, request: HttpRequest, answer: Answer, context: FaultContext) => Answered | Promise<Answered>
  >
> = {
  rate_limit: ({ seconds }) => toRefusalResponse(rateLimitHit({ retryAfter: seconds }), {}),
  async slow({ seconds }, request, answer, { clock }) {
    await new Promise<void>((resolve) => clock.schedule(clock.now() + seconds, resolve))
    return answer(request)
  },
  drop: () => ({ status: 200, headers: {}, body: BROKEN }),
  async expired_queue(_, request, _answer, context) {
    const queueId = request.query.get('queue_id') ?? ''
    const userId = await senderId(context, request)
    // The queue may be that of another user, or may not exist.
    if (userId !== null)
      await context
        .services()
        .hub.deleteQueue(queueId, userId)
        .catch(() => {})
    return toRefusalResponse(badEventQueueId({ queueId }), {})
  },
  bad_gateway: () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: BAD_GATEWAY }),
}

/** Repeats each event of the response. `onRepeated` is called if there was one besides a heartbeat. */
function withRepeatedEvents(answered: Answered, onRepeated: () => void): Answered {
  if (answered instanceof Deferred) return answered.map((get) => repeated(get(), onRepeated), null)
  return typeof answered.body === 'string' ? repeated(answered as BufferedResponse, onRepeated) : answered
}

function repeated(response: BufferedResponse, onRepeated: () => void): BufferedResponse {
  if (response.status !== 200 || typeof response.body !== 'string') return response
  const body = JSON.parse(response.body) as { events?: { type: string }[] }
  if (!body.events?.some(({ type }) => type !== 'heartbeat')) return response
  onRepeated()
  const events = body.events.flatMap((event) => [event, event])
  return { ...response, body: `${JSON.stringify({ ...body, events })}\n` }
}
