/**
 * Sends requests of one kind as fast as they are answered, over four connections for each account, until it is stopped.
 * The connections are divided among the ports. Runs in its own thread. It does not wait when it is refused.
 */
import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { picture } from '../test/pictures.ts'
import { type BenchUser, writeRequest } from './request.ts'

export type AttackName = keyof typeof attacks

export type FloodOptions = {
  readonly ports: readonly number[]
  readonly attack: AttackName
  readonly accounts: readonly BenchUser[]
  readonly channelId: number
  readonly queueId: string
}

const CONNECTIONS_EACH = 4

const { ports, attack, accounts, channelId, queueId } = workerData as FloodOptions
const owner = accounts[0] as BenchUser

type Attack = (account: BenchUser, number: number) => Buffer

const page = { anchor: 'newest', num_before: 5000, num_after: 0 }

const formula = (number: number) => `$$${'\\frac{'.repeat(50)}${number}${'}{2}'.repeat(50)}$$`

function withBody(path: string, type: string, body: Buffer, account: BenchUser | null): Buffer {
  const credentials = account === null ? '' : `Authorization: Basic ${btoa(`${account.email}:${account.apiKey}`)}\r\n`
  const head = `POST /api/v1/${path} HTTP/1.1\r\nHost: localhost\r\n${credentials}Content-Type: ${type}\r\n`
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body])
}

const MULTIPART = 'multipart/form-data; boundary=x'

const form = (name: string, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n--x--\r\n'),
  ])

const parts = (length: number): Buffer => {
  const part = '--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n'
  return Buffer.from(part.repeat(Math.floor(length / part.length)))
}

const needsImage = ['pictures', 'avatars', 'everything'].includes(attack)
const image = needsImage ? form('a.png', await picture(2000, 2000)) : Buffer.alloc(0)
const file = form('a.bin', Buffer.alloc(5 * 1024 * 1024))
const text = Buffer.from(JSON.stringify('a'.repeat(500_000)))
const [manyParts, someParts] = [parts(936_000), parts(60_000)]

const attacks = {
  narrow: (account) => writeRequest('GET /messages', { ...page, narrow: [['channel', channelId]] }, account),
  search: (account) => writeRequest('GET /messages', { ...page, narrow: [['search', 'message']] }, account),
  register: (account) => writeRequest('POST /register', {}, account),
  render: (account, number) => writeRequest('POST /messages/render', { content: formula(number) }, account),
  send: (account) =>
    writeRequest('POST /messages', { type: 'channel', to: channelId, topic: 'flood', content: 'hello' }, account),
  pictures: (account) => withBody('user_uploads', MULTIPART, image, account),
  avatars: (account) => withBody('users/me/avatar', MULTIPART, image, account),
  polls: () => writeRequest('GET /events', { queue_id: queueId, last_event_id: -1 }, owner),
  login: () => writeRequest('POST /fetch_api_key', { username: owner.email, password: 'wrong horse battery' }),
  'ignored-json': (account) => withBody('messages', 'application/json', text, account),
  upload: (account) => withBody('user_uploads', MULTIPART, file, account),
  everything: (account, number) => mixed[number % mixed.length]?.(account, number) as Buffer,
  'refused-body': (account) => withBody('messages', MULTIPART, manyParts, account),
  'anonymous-body': () => withBody('messages', MULTIPART, someParts, null),
} satisfies Record<string, Attack>

const mixed: readonly Attack[] = Object.entries(attacks)
  .filter(([name]) => name !== 'everything' && name !== 'polls')
  .map(([, make]) => make)

let isOver = false
const statuses = new Map<number, number>()
parentPort?.once('message', () => {
  isOver = true
  parentPort?.postMessage(statuses)
  process.exit()
})

/** Sends one request after another, and connects again whenever the server closes the connection. */
function flood(account: BenchUser, first: number, port: number): void {
  let number = first
  const open = () => {
    if (isOver) return
    const socket = connect(port, '127.0.0.1')
    let head = ''
    let missing = -1
    const send = () => socket.write(attacks[attack](account, number++))
    socket.on('connect', send).on('error', () => {})
    socket.on('close', () => setImmediate(open))
    socket.on('data', (chunk) => {
      let length = chunk.length
      if (missing === -1) {
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return
        const status = Number(head.slice(9, 12))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        missing = Number(/content-length: *(\d+)/i.exec(head.slice(0, end))?.[1] ?? 0)
        length = head.length - end - 4
      }
      missing -= length
      if (missing > 0) return
      const closes = /connection: *close/i.test(head)
      head = ''
      missing = -1
      if (closes) socket.destroy()
      else send()
    })
  }
  open()
}

for (const [at, account] of accounts.entries())
  for (let connection = 0; connection < CONNECTIONS_EACH; connection += 1)
    flood(
      account,
      at * 1e6 + connection * 1e5 + connection,
      ports[(at * CONNECTIONS_EACH + connection) % ports.length] as number,
    )
parentPort?.postMessage('started')
