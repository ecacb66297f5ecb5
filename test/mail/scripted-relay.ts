import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

/** `data` is the command, `dot` the end of the email. */
export type RelayStage = 'connect' | 'ehlo' | 'auth' | 'mailFrom' | 'rcptTo' | 'data' | 'dot'

export const relayStages: readonly RelayStage[] = ['connect', 'ehlo', 'auth', 'mailFrom', 'rcptTo', 'data', 'dot']

/**
 * The behavior of the relay at a stage: go on, refuse with a reply, cut the connection, or never answer. At the dot it
 * may also keep the email, and then cut the connection or never answer.
 */
export type RelayTurn = 'accept' | 'drop' | 'hang' | 'keep and drop' | 'keep and hang' | { code: number; text: string }

type Connection = SMTPServer['connections'] extends Set<infer One> ? One : never

type ArrivedMail = { from: string; to: string[]; raw: string }

/** An SMTP server for tests with a scripted behavior at each stage. It keeps the accepted emails. */
export type ScriptedRelay = AsyncDisposable & {
  readonly port: number
  readonly url: string
  readonly arrived: readonly ArrivedMail[]
  /** Stages that were reached, in order. */
  readonly reached: readonly RelayStage[]
  /** Sets the behavior from now on. Stages without one accept. `nth` counts the visits to a stage, from 1. */
  behave(turns: Partial<Record<RelayStage, RelayTurn | ((nth: number) => RelayTurn)>>): void
}

async function listenOnFreePort(server: SMTPServer): Promise<number> {
  const listening = server.listen(0, '127.0.0.1')
  await new Promise((resolve) => listening.once('listening', resolve))
  return (listening.address() as { port: number }).port
}

export async function openScriptedRelay(options: SMTPServerOptions = {}): Promise<ScriptedRelay> {
  const arrived: ArrivedMail[] = []
  const reached: RelayStage[] = []
  const sockets = new Map<number, Socket>()
  let turns: Parameters<ScriptedRelay['behave']>[0] = {}

  type GoOn = (error?: Error | null, isMute?: boolean) => void
  const take = (stage: RelayStage, { remotePort }: SMTPServerSession, goOn: GoOn) => {
    reached.push(stage)
    const scripted = turns[stage] ?? 'accept'
    const nth = reached.filter((name) => name === stage).length
    const turn = typeof scripted === 'function' ? scripted(nth) : scripted
    if (turn === 'drop' || turn === 'keep and drop') sockets.get(remotePort)?.destroy()
    if (turn === 'accept') goOn()
    else if (turn === 'keep and drop' || turn === 'keep and hang') goOn(null, true)
    else if (typeof turn === 'object') goOn(Object.assign(new Error(turn.text), { responseCode: turn.code }))
  }
  /** Takes the stage before the server obeys a command for which it has no callback. */
  const takeBefore = (name: 'handler_EHLO' | 'handler_HELO' | 'handler_DATA', stage: RelayStage, of: Connection) => {
    const obey = of[name].bind(of)
    of[name] = (command, done) =>
      take(stage, of.session, (error) => {
        if (!error) return obey(command, done)
        of.send((error as Error & { responseCode: number }).responseCode, error.message)
        done()
      })
  }
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1,
    logger: false,
    ...options,
    onConnect(session, goOn) {
      for (const connection of server.connections) {
        if (connection.id !== session.id) continue
        takeBefore('handler_EHLO', 'ehlo', connection)
        takeBefore('handler_HELO', 'ehlo', connection)
        takeBefore('handler_DATA', 'data', connection)
      }
      take('connect', session, goOn)
    },
    onAuth: (auth, session, goOn) => take('auth', session, (error) => goOn(error, { user: auth.username })),
    onMailFrom: (_address, session, goOn) => take('mailFrom', session, goOn),
    onRcptTo: (_address, session, goOn) => take('rcptTo', session, goOn),
    async onData(stream, session, goOn) {
      const chunks = await stream.toArray().catch(() => null)
      // The connection was closed within the email.
      if (chunks === null) return
      const raw = Buffer.concat(chunks).toString()
      const { mailFrom, rcptTo } = session.envelope
      take('dot', session, (error, isMute) => {
        if (!error) arrived.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map((to) => to.address), raw })
        if (!isMute) goOn(error, 'Accepted for delivery')
      })
    },
  })
  server.on('error', () => {})
  server.server.on('connection', (socket) => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.on('close', () => sockets.delete(port))
  })
  const port = await listenOnFreePort(server)

  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    arrived,
    reached,
    behave(next) {
      turns = next
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}
