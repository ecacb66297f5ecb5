import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * The range of the returned ports, which are even. Operating systems assign higher ports to connections and to servers on
 * port 0.
 */
const [FIRST, LAST] = [20_000, 32_000]

/**
 * Returns a port of this machine on which nothing listens. It is reserved until this process ends: the process listens on
 * the next port, so that no other call returns it, not even while a server that tests restart is away.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + 2 * randomInt((LAST - FIRST) / 2)
    const reservation = await listenOn(port + 1)
    if (reservation === null) continue
    const server = await listenOn(port)
    await close(server ?? reservation)
    if (server !== null) return port
  }
}

/** Returns null if something listens on the port. */
async function listenOn(port: number): Promise<Server | null> {
  const server = createServer().unref()
  return new Promise((resolve) => {
    server.once('error', () => resolve(null)).listen(port, '127.0.0.1', () => resolve(server))
  })
}

async function close(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}
