import { type Connection, openConnection, type Response } from './connection.ts'

/** What hearers ask: for what comes after an event, and that something is said to all of them. */
export type PollerRequests = {
  poll(recipient: number, lastEventId: number): Buffer
  readonly tell: Buffer
}

/** Clients that each have a poll under way, as long as nothing is told. */
export type Pollers = Disposable & {
  /** Says something, and resolves when everybody has heard it and polls again: after how many milliseconds each heard. */
  sendToAll(): Promise<number[]>
}

/** How many connect at the same time: what listens takes no more at once. */
const CONNECTING = 100

export async function openPollers(port: number, count: number, requests: PollerRequests): Promise<Pollers> {
  const connections: Connection[] = []
  while (connections.length < count)
    connections.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(CONNECTING, count - connections.length) }, () => openConnection(port)),
      )),
    )
  const speaker = await openConnection(port)
  let latencies: number[] = []
  let toldAt = 0
  let round = Promise.withResolvers<void>()

  connections.forEach((connection, recipient) => {
    const ask = (lastEventId: number) => connection.send(requests.poll(recipient, lastEventId), hear, true)
    const hear = ({ status, body }: Response) => {
      const [, isHeartbeat, eventId] = /("type":"heartbeat",)?"id":(-?\d+)\}\]/.exec(body) ?? []
      if (status !== 200 || eventId === undefined) return round.reject(new Error(`Answered ${status}: ${body}`))
      ask(Number(eventId))
      if (isHeartbeat !== undefined) return
      latencies.push(performance.now() - toldAt)
      if (latencies.length === count) round.resolve()
    }
    ask(-1)
  })

  return {
    async sendToAll() {
      latencies = []
      toldAt = performance.now()
      const said = Promise.withResolvers<void>()
      speaker.send(requests.tell, ({ status, body }) =>
        status === 200 ? said.resolve() : said.reject(new Error(`Answered ${status}: ${body}`)),
      )
      await Promise.all([said.promise, round.promise])
      round = Promise.withResolvers()
      return latencies
    },
    [Symbol.dispose]() {
      for (const connection of [...connections, speaker]) connection.close()
    },
  }
}
