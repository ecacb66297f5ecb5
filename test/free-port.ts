import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The range of the returned ports. Operating systems assign higher ports to connections and to servers on port 0. */
const [FIRST, LAST] = [20_000, 32_000]

/** The number of ports of each process. Those that run at the same time have ids that differ little, and so other ports. */
const EACH = 40

let count = randomInt(EACH)

/** Returns a port of this machine on which nothing listens, and which other tests are unlikely to get meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    count += 1
    const port = FIRST + ((process.pid * EACH + (count % EACH)) % (LAST - FIRST))
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
