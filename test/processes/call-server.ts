import assert from 'node:assert/strict'
import type { KillableServer } from './killable-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
type ServerAnswer = { status: number; [field: string]: any }

/** Calls an endpoint of a server: strings are sent unchanged, all else as JSON. */
export async function callServer(
  { url }: KillableServer,
  authorization: string,
  route: string,
  params: Record<string, unknown> = {},
): Promise<ServerAnswer> {
  const [method = '', path] = route.split(' ')
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const form = new URLSearchParams(texts)
  const inQuery = method === 'GET'
  const address = `${url}/api/v1${path}${inQuery ? `?${form}` : ''}`
  return readAnswer(await fetch(address, { method, headers: { authorization }, ...(inQuery ? {} : { body: form }) }))
}

/** Returns the fields of an answer; its text if it is a file, or the answer of a proxy. */
export async function readAnswer(response: Response): Promise<ServerAnswer> {
  const text = await response.text()
  return { ...(text.startsWith('{') ? (JSON.parse(text) as object) : { text }), status: response.status }
}

/** Returns a client that can continue at another server. */
export async function follow(server: KillableServer, authorization: string, event_types = ['message']) {
  const { queue_id, last_event_id } = await callServer(server, authorization, 'POST /register', {
    event_types,
    apply_markdown: false,
  })
  const [ids, received] = [[Number(last_event_id)], [] as number[]]
  return {
    queue_id: String(queue_id),
    ids,
    /** The ids of the messages. */
    received,
    async poll(at: KillableServer, options: object = {}): Promise<ServerAnswer> {
      const params = { queue_id, last_event_id: ids.at(-1), ...options }
      const answer = await callServer(at, authorization, 'GET /events', params)
      for (const { id, message } of answer['events'] ?? []) {
        ids.push(id)
        if (message !== undefined) received.push(message.id)
      }
      return answer
    },
  }
}

/**
 * Schedules a message or a reminder that is due after some seconds. Repeats the call with more of them if it takes longer
 * than that.
 */
export async function scheduleSoon(
  server: KillableServer,
  authorization: string,
  route: 'POST /scheduled_messages' | 'POST /reminders',
  { seconds, ...params }: { seconds: number; [name: string]: unknown },
): Promise<void> {
  for (let delay = seconds; ; delay *= 2) {
    const scheduled_delivery_timestamp = Math.ceil(Date.now() / 1000) + delay
    const answer = await callServer(server, authorization, route, { ...params, scheduled_delivery_timestamp })
    if (answer.status === 200) return
    const isTooLate = answer['msg'] === 'Scheduled delivery time must be in the future.'
    assert.ok(isTooLate || answer.status === 503, JSON.stringify(answer))
  }
}

/** Returns whether a node has refused a request because the machine is too slow for the test, whatever else it tests. */
export const isBusy = (answer: unknown): boolean =>
  (answer as { msg?: string } | null)?.msg?.startsWith('The server is busy') === true

/** Returns the distinct ids in ascending order. */
export const inOrder = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other)

export const toAda = (content: string) => ({ type: 'direct', to: ['ada@example.com'], content })
