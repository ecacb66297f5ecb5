import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** Opens a proxy to the database that can silently stop forwarding. */
export async function openDatabaseProxy(url: string) {
  const { host, port } = new pg.Client({ connectionString: url })
  const connected: { holdsLock: boolean; silence(): void; close(): void }[] = []
  const unanswered: Socket[] = []
  const sockets = new Set<Socket>()
  let isDeaf = false
  let isSilent = false
  let swallowed = 0
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    near.once('data', (hello) => {
      if (isDeaf) {
        swallowed += 1
        unanswered.push(near, far)
        return
      }
      let isCut = false
      // A socket that fails ends without the end that is forwarded.
      near.once('close', () => isCut || far.destroy())
      far.once('close', () => isCut || near.writableEnded || near.destroy())
      connected.push({
        holdsLock: /parley \d+, process/.test(String(hello)),
        silence() {
          isCut = true
          near.unpipe(far).resume()
          far.unpipe(near).resume()
        },
        close() {
          near.destroy()
          far.destroy()
        },
      })
      far.write(hello)
      near.pipe(far).pipe(near)
    })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.search = ''
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: through.href,
    /** Silences all current connections, or only those that hold locks or those for statements. */
    silence({ of }: { of?: 'locks' | 'statements' } = {}) {
      isSilent = true
      for (const { holdsLock, silence } of connected) if (of === undefined || (of === 'locks') === holdsLock) silence()
    },
    isSilent: () => isSilent,
    /** Sets whether new connections are accepted and never answered. */
    swallow(swallows: boolean) {
      isDeaf = swallows
    },
    swallowed: () => swallowed,
    /** Forwards new connections again, and closes all others. */
    restore() {
      isSilent = false
      isDeaf = false
      for (const { close } of connected.splice(0)) close()
      for (const socket of unanswered.splice(0)) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
