/**
 * Measures how much one member with twelve bots delays others: `node bench/hostile-member.ts`. The member and the bots
 * read long lists, render formulas, upload pictures and invite people, each over four connections at once.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type Account, apiCalls, call, type Response } from './api-calls.ts'
import type { FloodOptions } from './flood.ts'
import { percentile } from './percentile.ts'

const BOTS = 12
const MESSAGES = 2000

/** Milliseconds between the requests of the other members together, whether or not earlier ones are answered. */
const PACE = 30
const SECONDS = 15

const root = path.dirname(import.meta.dirname)
const server = spawn(process.execPath, [path.join(root, 'server/cli.ts'), 'test-server'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
const { port } = JSON.parse(line) as { port: number }
const send = apiCalls(port)

const configure = async (target: string, body: object, method = 'POST') =>
  JSON.parse((await call(port, method, `/testing/${target}`, {}, JSON.stringify(body))).text)

const { users, channels } = await configure('organizations', { subdomain: '' })
const { alice, bob, carol, admin, moderator, owner } = users as Record<string, Account>
const others = [bob, carol, admin, moderator, owner] as Account[]
const to = channels.pub.stream_id as number

const kinds: readonly ((account: Account) => Promise<Response>)[] = [
  (account) => send(account, 'GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0 }),
  (account) => send(account, 'POST', '/messages', { type: 'stream', to, topic: 'load', content: 'hello' }),
  (account) => send(account, 'GET', '/users/me/subscriptions'),
]

/**
 * Makes the other members read, send and fetch; returns the latencies in milliseconds, and the number of failed
 * requests.
 */
async function measure(seconds: number): Promise<{ times: number[]; failed: number }> {
  const times: number[] = []
  let failed = 0
  const pending: Promise<void>[] = []
  const end = performance.now() + seconds * 1000
  for (let number = 0; performance.now() < end; number += 1) {
    const start = performance.now()
    const kind = kinds[number % kinds.length] as (typeof kinds)[number]
    const answered = kind(others[number % others.length] as Account).then(({ status }) => {
      times.push(performance.now() - start)
      if (status !== 200) failed += 1
    })
    pending.push(answered)
    await sleep(PACE)
  }
  await Promise.all(pending)
  return { times, failed }
}

function print(name: string, { times, failed }: { times: readonly number[]; failed: number }): void {
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)].map((time) => time.toFixed(1))
  process.stdout.write(`${name.padEnd(8)} ${times.length} requests, p50 ${p50} ms, p99 ${p99} ms, ${failed} failed\n`)
}

for (let number = 0; number < MESSAGES; number += 1) await kinds[1]?.(bob as Account)
const bots: Account[] = []
for (let number = 0; number < BOTS; number += 1) {
  const form = { short_name: `bot${number}`, full_name: `Bot ${number}`, bot_type: 1 }
  const { user_id: id, api_key } = JSON.parse((await send(alice as Account, 'POST', '/bots', form)).text)
  const { email } = JSON.parse((await send(alice as Account, 'GET', `/users/${id}`)).text).user
  bots.push({ email, api_key })
}
await configure('settings', { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 1000]] }, 'PATCH')

await measure(5)
const quiet = await measure(SECONDS)
print('quiet', quiet)
const workerData: FloodOptions = { port, person: alice as Account, bots }
const flood = new Worker(path.join(import.meta.dirname, 'flood.ts'), { workerData })
await sleep(3000)
const beside = await measure(SECONDS)
flood.postMessage('stop')
const [statuses] = (await once(flood, 'message')) as [ReadonlyMap<number, number>]
print('flooded', beside)
const ratio = percentile(beside.times, 0.99) / percentile(quiet.times, 0.99)
const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
process.stdout.write(`p99 is ${ratio.toFixed(1)} × that of quiet; the flood was answered ${answers}\n`)
server.kill()
process.exit()
