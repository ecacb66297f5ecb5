import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './storage.ts'

// Real NATS servers on loopback, one or a cluster, which tests stop and start.

const PROGRAM = '/usr/sbin/nats-server'

/** The reason to skip the tests with NATS; false if they can run. */
export const natsAbsent = !existsSync(PROGRAM) && `${PROGRAM} is absent: install the package nats-server`

type NatsServer = {
  readonly url: string
  /** Ends the process at once. */
  kill(): Promise<void>
  start(): Promise<void>
}

export type NatsCluster = {
  /** The setting NATS_URL. */
  readonly url: string
  readonly servers: readonly NatsServer[]
}

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

const [USER, PASSWORD] = ['parley', 'secret of NATS']

/** Starts a cluster of servers; `configuration` has further lines of their configuration. */
export async function startNats(count = 1, configuration = ''): Promise<NatsCluster> {
  const file = join(await temporaryFolder(), 'nats.conf')
  await writeFile(file, `authorization { user: "${USER}", password: "${PASSWORD}" }\n${configuration}\n`)
  const ports: number[] = []
  for (let at = 0; at < 2 * count; at++) ports.push(await freePort())
  const routes = ports.slice(count).map((port) => `nats://127.0.0.1:${port}`)
  const servers = routes.map((route, at) => {
    const port = ports[at] as number
    const cluster = ['--cluster', route, '--cluster_name', 'parley', '--routes', routes.join(',')]
    return openServer(port, ['--config', file, ...(count > 1 ? cluster : [])])
  })
  await Promise.all(servers.map((server) => server.start()))
  return { url: servers.map(({ url }) => url).join(','), servers }
}

function openServer(port: number, options: readonly string[]): NatsServer {
  let child: ChildProcess | null = null
  return {
    url: `nats://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    async start() {
      child = spawn(PROGRAM, ['--addr', '127.0.0.1', '--port', String(port), ...options], { stdio: 'ignore' })
      running.add(child)
      while (!(await isListening(port))) {
        if (child.exitCode !== null) throw new Error(`${PROGRAM} ended with ${child.exitCode}`)
        await sleep(10)
      }
    },
    async kill() {
      if (child === null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      running.delete(child)
      child = null
    },
  }
}

/** Opens a proxy to a NATS server that can silently stop forwarding, also on connections that come later. */
export async function openNatsProxy(natsUrl: string) {
  const target = new URL(natsUrl)
  const pairs: [Socket, Socket][] = []
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    pairs.push([near, far])
    for (const socket of [near, far]) socket.on('error', () => {})
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
    if (!isSilent) near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(natsUrl)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    /** Returns the number of open connections to the server. */
    connections: () => pairs.filter(([, far]) => !far.destroyed).length,
    silence() {
      isSilent = true
      for (const [near, far] of pairs) {
        near.unpipe(far).pause()
        far.unpipe(near).pause()
      }
    },
    /** Forwards new connections again, and closes those that were silenced. */
    restore() {
      isSilent = false
      for (const [near] of pairs.splice(0)) near.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
      server.close()
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.once('data', () => resolve(true)).once('close', () => resolve(false))
  const isGreeted = await promise
  socket.destroy()
  return isGreeted
}
