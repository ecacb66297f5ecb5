/** Sends expensive requests of some accounts until it is stopped; runs in its own thread. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { picture } from '../test/pictures.ts'
import { type Account, apiCalls, authorization, call, type Response } from './api-calls.ts'

export type FloodOptions = { port: number; person: Account; bots: readonly Account[] }

const CONNECTIONS_EACH = 4

const { port, person, bots } = workerData as FloodOptions
const send = apiCalls(port)
const image = await picture(2000, 2000)

function upload(account: Account): Promise<Response> {
  const boundary = 'picture'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), image, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const type = `multipart/form-data; boundary=${boundary}`
  const headers = { authorization: authorization(account), 'content-type': type }
  return call(port, 'POST', '/api/v1/user_uploads', headers, body)
}

const formula = (number: number) => `$$${'\\frac{'.repeat(50)}${number}${'}{2}'.repeat(50)}$$`

const attacks: readonly ((account: Account, number: number) => Promise<Response>)[] = [
  (account) => send(account, 'GET', '/messages', { anchor: 'newest', num_before: 1000, num_after: 0 }),
  (account, number) => send(account, 'POST', '/messages/render', { content: formula(number) }),
  (account) => upload(account),
  // Bots may not invite.
  (_, number) => send(person, 'POST', '/invites', { invitee_emails: `new${number}@example.com`, stream_ids: '[]' }),
]

let isOver = false
parentPort?.once('message', () => {
  isOver = true
})
const statuses = new Map<number, number>()
await Promise.all(
  [person, ...bots].flatMap((account, at) =>
    Array.from({ length: CONNECTIONS_EACH }, async (_, connection) => {
      const attack = attacks[connection % attacks.length] as (typeof attacks)[number]
      for (let number = at * 1e6 + connection * 1e5; !isOver; number += 1) {
        const { status } = await attack(account, number)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 429) await sleep(100)
      }
    }),
  ),
)
parentPort?.postMessage(statuses)
