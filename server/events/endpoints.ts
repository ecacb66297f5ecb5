import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { acceptsGzip, jsonTextResponse } from '#http/responses.ts'
import { clientEvent } from './catalogue.ts'
import { badEventQueueId } from './event-hub.ts'
import type { EventsJson } from './queues/pending-poll.ts'
import { registerQueue } from './register.ts'
import { EMOJI_DATA_PATH, emojiDataJson } from './state/server.ts'

// The endpoints with which clients register event queues and fetch events.

const queueId = z.string().describe('The `queue_id` that `POST /register` returned.')

const getEvents = endpoint({
  route: 'GET /events',
  priority: 'polls',
  summary: 'Get events from an event queue',
  description:
    'Returns the new events of the queue. Waits for one when there are none, and returns a heartbeat after about 50 ' +
    'seconds. `last_event_id` acknowledges all events up to it, which are not returned again.',
  who: 'user',
  params: {
    queue_id: queueId,
    last_event_id: z.int().optional().describe('The highest id of the events that the client has.'),
    dont_block: z.boolean().default(false).describe('Whether to return at once, even when there are no events.'),
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

const deleteQueue = endpoint({
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

/** Answers requests for `server_emoji_data_url`; returns null for all other paths. */
export function emojiDataPage(request: HttpRequest): HttpResponse | null {
  const { method, path } = request
  if (path !== EMOJI_DATA_PATH || (method !== 'GET' && method !== 'HEAD')) return null
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=86400',
    'access-control-allow-origin': '*',
  }
  return jsonTextResponse(emojiDataJson(), headers, acceptsGzip(request))
}

export const eventEndpoints = [registerQueue, getEvents, deleteQueue]
