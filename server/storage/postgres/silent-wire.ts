import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** A way to the database on which nothing goes on, at will, of the connections that hold a place: and nobody is told. */
export async function openWire(url: string) {
  const { host, port } = new pg.Client({ connectionString: url })
  const silent: (() => void)[] = []
  const sockets = new Set<Socket>()
  let isDeaf = false
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    near.once('data', (hello) => {
      if (isDeaf) return
      if (String(hello).includes('parley, process'))
        silent.push(() => {
          for (const [from, to] of [
            [near, far],
            [far, near],
          ] as const)
            from.unpipe(to).resume()
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
    fallSilent() {
      for (const fall of silent.splice(0)) fall()
    },
    /** Whether new connections are taken and never answered, not even later. */
    swallow(swallows: boolean) {
      isDeaf = swallows
    },
    connections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
