import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type RelayStage = 'connect' | 'auth' | 'mailFrom' | 'rcptTo' | 'data'

/** What the relay does at a stage: go on, refuse with a reply, cut the connection, or never answer. */
export type RelayTurn = 'accept' | 'drop' | 'hang' | { code: number; text: string }

export type ArrivedMail = { from: string; to: string[]; raw: string }

/** An SMTP server for tests that does at each stage what it is told, and keeps what it accepted. */
export type ScriptedRelay = AsyncDisposable & {
  readonly port: number
  readonly url: string
  readonly arrived: readonly ArrivedMail[]
  /** Stages that were reached, in order. */
  readonly reached: readonly RelayStage[]
  /** Behaves from now on as told; stages that are not named accept. `nth` counts the visits to a stage, from 1. */
  behave(turns: Partial<Record<RelayStage, RelayTurn | ((nth: number) => RelayTurn)>>): void
}

export async function openScriptedRelay(options: SMTPServerOptions = {}): Promise<ScriptedRelay> {
  const arrived: ArrivedMail[] = []
  const reached: RelayStage[] = []
  const sockets = new Set<Socket>()
  let turns: Parameters<ScriptedRelay['behave']>[0] = {}

  const take = (stage: RelayStage, goOn: (error?: Error | null) => void) => {
    reached.push(stage)
    const scripted = turns[stage] ?? 'accept'
    const nth = reached.filter((name) => name === stage).length
    const turn = typeof scripted === 'function' ? scripted(nth) : scripted
    if (turn === 'accept') goOn()
    else if (turn === 'drop') for (const socket of sockets) socket.destroy()
    else if (turn !== 'hang') goOn(Object.assign(new Error(turn.text), { responseCode: turn.code }))
  }
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 1,
    logger: false,
    ...options,
    onConnect: (_session, goOn) => take('connect', goOn),
    onAuth: (auth, _session, goOn) => take('auth', (error) => goOn(error, { user: auth.username })),
    onMailFrom: (_address, _session, goOn) => take('mailFrom', goOn),
    onRcptTo: (_address, _session, goOn) => take('rcptTo', goOn),
    async onData(stream, { envelope }, goOn) {
      const raw = Buffer.concat(await stream.toArray()).toString()
      const { mailFrom, rcptTo } = envelope
      take('data', (error) => {
        if (!error) arrived.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map((to) => to.address), raw })
        goOn(error, 'Accepted for delivery')
      })
    },
  })
  server.on('error', () => {})
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const listening = server.listen(0, '127.0.0.1')
  await new Promise((resolve) => listening.once('listening', resolve))
  const { port } = listening.address() as { port: number }

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
