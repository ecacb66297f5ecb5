import { type Connection, openConnection, type Response } from './connection.ts'

/** The requests of pollers: for the events after a given one, and to send a message to all of them. */
type PollerRequests = {
  poll(recipient: number, lastEventId: number): Buffer
  readonly send: Buffer
}

/** Clients with one pending poll each, as long as there are no events. */
type Pollers = Disposable & {
  /**
   * Sends a message, and resolves when all clients have received it and poll again; returns the milliseconds that each
   * waited.
   */
  sendToAll(): Promise<number[]>
}

/** The number of connections opened at the same time, which is the size of the listen backlog. */
const CONNECTING = 100

/** Opens `count` clients, which are divided among the servers at the ports; the first one receives the messages. */
export async function openPollers(
  ports: readonly [number, ...number[]],
  count: number,
  requests: PollerRequests,
): Promise<Pollers> {
  const connections: Connection[] = []
  while (connections.length < count)
    connections.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(CONNECTING, count - connections.length) }, (_, at) =>
          openConnection(ports[(connections.length + at) % ports.length] as number),
        ),
      )),
    )
  const sender = await openConnection(ports[0])
  let latencies: number[] = []
  let sentAt = 0
  let round = Promise.withResolvers<void>()

  connections.forEach((connection, recipient) => {
    const ask = (lastEventId: number) => connection.send(requests.poll(recipient, lastEventId), receive, true)
    const receive = ({ status, body }: Response) => {
      const [, isHeartbeat, eventId] = /("type":"heartbeat",)?"id":(-?\d+)\}\]/.exec(body) ?? []
      if (status !== 200 || eventId === undefined) return round.reject(new Error(`Answered ${status}: ${body}`))
      ask(Number(eventId))
      if (isHeartbeat !== undefined) return
      latencies.push(performance.now() - sentAt)
      if (latencies.length === count) round.resolve()
    }
    ask(-1)
  })

  return {
    async sendToAll() {
      latencies = []
      sentAt = performance.now()
      const said = Promise.withResolvers<void>()
      sender.send(requests.send, ({ status, body }) =>
        status === 200 ? said.resolve() : said.reject(new Error(`Answered ${status}: ${body}`)),
      )
      await Promise.all([said.promise, round.promise])
      round = Promise.withResolvers()
      return latencies
    },
    [Symbol.dispose]() {
      for (const connection of [...connections, sender]) connection.close()
    },
  }
}
