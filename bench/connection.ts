import { connect, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** A response: its status, the length of its body as sent, and its unpacked body, if that was requested. */
export type Response = { status: number; length: number; body: string }

/** A keep-alive connection with at most one pending request: the cheapest client that reads whole responses. */
export type Connection = {
  /** `done` is called when the last byte of the response has arrived. */
  send(request: Buffer, done: (response: Response) => void, keepsBody?: boolean): void
  close(): void
}

const HEADERS_END = Buffer.from('\r\n\r\n')
const NOTHING: Buffer = Buffer.alloc(0)

/** Resolves when connected. Throws for a response without Content-Length and for a closed connection. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = await connected(port)
  let done: ((response: Response) => void) | null = null
  let keepsBody = false
  let headers = NOTHING
  let status = 0
  let isPacked = false
  let length = 0
  let missing = -1
  let kept: Buffer[] = []

  const finish = () => {
    const callback = done
    const bytes = Buffer.concat(kept)
    const body = (isPacked && bytes.length > 0 ? gunzipSync(bytes) : bytes).toString()
    done = null
    missing = -1
    kept = []
    callback?.({ status, length, body })
  }
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk
    if (missing === -1) {
      headers = headers.length === 0 ? chunk : Buffer.concat([headers, chunk])
      const end = headers.indexOf(HEADERS_END)
      if (end === -1) return
      const head = headers.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      length = contentLength(head)
      missing = length
      isPacked = /content-encoding: *gzip/i.test(head)
      rest = headers.subarray(end + HEADERS_END.length)
      headers = NOTHING
    }
    missing -= rest.length
    if ((keepsBody || status !== 200) && rest.length > 0) kept.push(rest)
    if (missing === 0) finish()
  })
  socket.on('close', () => {
    if (done !== null) throw new Error('The server closed a connection with a pending request')
  })

  return {
    send(request, whenDone, wantsBody = false) {
      done = whenDone
      keepsBody = wantsBody
      socket.write(request)
    },
    close() {
      done = null
      socket.destroy()
    },
  }
}

function contentLength(head: string): number {
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`A response without Content-Length:\n${head}`)
  return Number(length)
}

function connected(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.once('error', reject)
  socket.once('connect', () => resolve(socket))
  return promise
}
