import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { clientEvent } from '../catalogue/catalogue.ts'
import { badEventQueueId } from '../queues/event-hub.ts'
import type { EventsJson } from '../queues/pending-poll.ts'

const queueId = z.string().describe('The queue, as `register` named it.')

export const getEvents = endpoint({
  route: 'GET /events',
  summary: 'Get events from an event queue',
  description:
    'What is new in the queue; when nothing is, waits until something is, and answers a heartbeat after some 50 seconds. ' +
    'Events up to `last_event_id` are acknowledged by it and not given again.',
  who: 'user',
  params: {
    queue_id: queueId,
    last_event_id: z.int().optional().describe('The highest id among the events that the client has.'),
    dont_block: z.boolean().default(false).describe('Answer at once, if need be with nothing.'),
  },
  returns: { events: z.array(clientEvent), queue_id: z.string() },
  refuses: [badEventQueueId],
  async handle({ hub, actor, reauthenticate }, params) {
    const { queue_id: queueId } = params
    const events = await hub.poll({
      queueId,
      userId: actor.id,
      lastEventId: params.last_event_id ?? null,
      blocks: !params.dont_block,
      reauthenticate,
    })
    return typeof events === 'string' ? { preparedJson: toJson(events, queueId) } : events.map(toJsonLater, queueId)
  },
})

const toJson = (events: EventsJson, queueId: string) => `"events":[${events}],"queue_id":${JSON.stringify(queueId)}`

const toJsonLater = (get: () => EventsJson, queueId: string) => toJson(get(), queueId)

export const deleteQueue = endpoint({
  route: 'DELETE /events',
  summary: 'Delete an event queue',
  who: 'user',
  params: { queue_id: queueId },
  refuses: [badEventQueueId],
  async handle({ hub, actor }, { queue_id }) {
    await hub.deleteQueue(queue_id, actor.id)
    return {}
  },
})
