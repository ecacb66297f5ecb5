import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import { BotType } from '#rules/role.ts'
import type { Chat, Person, ReceivedEvent } from './harness.ts'

export type WebhookRequest = { path: string; headers: IncomingHttpHeaders; body: string; bytes: Buffer }

/** A server on this machine that receives outgoing webhooks. */
export type WebhookReceiver = {
  readonly url: string
  readonly port: number
  /** The requests that arrived, oldest first. */
  readonly received: WebhookRequest[]
  /** Their bodies, parsed as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  payloads(): any[]
  /** Sets the response to later requests, which is `{}` at first. */
  behave(behavior: ReceiverBehavior): void
}

/** A JSON response with status 200, or a function that responds. */
export type ReceiverBehavior = object | ((response: ServerResponse, request: WebhookRequest) => void)

export async function startWebhookReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  const requests: WebhookRequest[] = []
  let behavior: ReceiverBehavior = {}
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request).catch(() => null)
    // The client has given up within its request.
    if (bytes === null) return
    const received = { path: request.url ?? '', headers: request.headers, body: bytes.toString(), bytes }
    requests.push(received)
    if (typeof behavior === 'function') behavior(response, received)
    else response.end(JSON.stringify(behavior))
  })
  server.listen(0, host)
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}/hook`,
    port,
    received: requests,
    payloads: () => requests.map(({ body }) => JSON.parse(body)),
    behave(next) {
      behavior = next
    },
  }
}

/** Responds with this status and text. */
export const status =
  (code: number, text = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end(text)
  }

/** The setting that lets bots call receivers on this machine. */
export const allowsLoopback = { OUTGOING_WEBHOOK_PRIVATE_HOSTS: ['127.0.0.0/8'] }

type WebhookBot = { id: number; email: string; name: string; token: string }

export async function createWebhookBot(
  owner: Person,
  url: string,
  { name = 'Hook', byInterface = 1 }: { name?: string; byInterface?: number } = {},
): Promise<WebhookBot> {
  const form = { full_name: name, short_name: name.toLowerCase(), bot_type: BotType.outgoingWebhook }
  const { user_id } = await owner.succeed('POST /bots', { ...form, payload_url: url, interface_type: byInterface })
  const { bots } = await owner.succeed('GET /bots')
  const bot = bots.find((one: { user_id: number }) => one.user_id === user_id)
  return { id: user_id, email: bot.username, name, token: bot.services[0].token }
}

/** Returns the messages that a user received, oldest first, once all webhook calls that are due have been made. */
export async function messagesReceivedBy(chat: Chat, person: Person): Promise<(ReceivedEvent & { content: string })[]> {
  await chat.app.jobs.webhooks.settled()
  const events = (await chat.eventsOf(person)).filter(({ type }) => type === 'message')
  return events.map(({ message }) => message as ReceivedEvent & { content: string })
}

/** Returns the contents of the messages that a user received from one sender. */
export async function messagesFrom(chat: Chat, sender: { id: number }, to: Person): Promise<string[]> {
  return (await messagesReceivedBy(chat, to))
    .filter((one) => one['sender_id'] === sender.id)
    .map(({ content }) => content)
}

/** Advances the clock so that a retry becomes due, and waits until it is done. */
export async function advanceAndSettle(chat: Chat, seconds: number): Promise<void> {
  await chat.app.jobs.webhooks.settled()
  await chat.clock.advance(seconds)
  await chat.app.jobs.webhooks.settled()
}
