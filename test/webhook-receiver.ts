import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import { BotType } from '../server/people/users/role.ts'
import type { Chat, Person, ReceivedEvent } from './harness.ts'

export type WebhookRequest = { path: string; headers: IncomingHttpHeaders; body: string; bytes: Buffer }

/** A server of somebody else, on this machine, that bots pass messages on to. */
export type WebhookReceiver = {
  readonly url: string
  readonly port: number
  /** What came, oldest first. */
  readonly received: WebhookRequest[]
  /** The same, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
  payloads(): any[]
  /** Says how it answers from now on; at first with `{}`. */
  behave(answer: ReceiverBehavior): void
}

/** What it answers as JSON with 200, or what answers instead. */
export type ReceiverBehavior = object | ((response: ServerResponse, request: WebhookRequest) => void)

export async function startWebhookReceiver(host = '127.0.0.1'): Promise<WebhookReceiver> {
  const received: WebhookRequest[] = []
  let behaviour: ReceiverBehavior = {}
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    const came = { path: request.url ?? '', headers: request.headers, body: bytes.toString(), bytes }
    received.push(came)
    if (typeof behaviour === 'function') behaviour(response, came)
    else response.end(JSON.stringify(behaviour))
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
    received,
    payloads: () => received.map(({ body }) => JSON.parse(body)),
    behave(answer) {
      behaviour = answer
    },
  }
}

/** Answers with a status and a text. */
export const status =
  (code: number, text = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end(text)
  }

/** The setting with which receivers of tests may be called. */
export const allowsLoopback = { OUTGOING_WEBHOOK_PRIVATE_HOSTS: ['127.0.0.0/8'] }

export type WebhookBot = { id: number; email: string; name: string; token: string }

/** An outgoing-webhook bot of somebody's, by the name of Hook unless another is given. */
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

/** The messages that came to somebody, oldest first, once no call that is due is left. */
export async function messagesReceivedBy(chat: Chat, person: Person): Promise<(ReceivedEvent & { content: string })[]> {
  await chat.app.webhookWorker.settled()
  const events = (await chat.eventsOf(person)).filter(({ type }) => type === 'message')
  return events.map(({ message }) => message as ReceivedEvent & { content: string })
}

/** Of these what one sender wrote. */
export async function messagesFrom(chat: Chat, sender: { id: number }, to: Person): Promise<string[]> {
  return (await messagesReceivedBy(chat, to))
    .filter((one) => one['sender_id'] === sender.id)
    .map(({ content }) => content)
}

/** Lets a retry become due and end. */
export async function advanceAndSettle(chat: Chat, seconds: number): Promise<void> {
  await chat.app.webhookWorker.settled()
  await chat.clock.advance(seconds)
  await chat.app.webhookWorker.settled()
}
