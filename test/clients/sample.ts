import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { startServerProcess } from '../processes/server-process.ts'

export type Account = { user_id: number; email: string; api_key: string; password: string; full_name: string }

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
export type Answer = { result: string; msg: string; code?: string; [field: string]: any }

/** The sample organization on a server in its own process, with the data that clients need to reach it. */
export type Sample = {
  readonly url: string
  readonly users: Readonly<Record<string, Account>>
  readonly channels: Readonly<Record<string, { stream_id: number; name: string }>>
  /** A folder in which clients may leave files; it is deleted after the tests. */
  readonly folder: string
  account(name: string): Account
  /** Calls the API as an account. Fails the test unless the response is a success. */
  call(who: Account, route: string, params?: Record<string, string>): Promise<Answer>
  /** Writes a file that clients take address and key from, and returns its path. */
  zuliprc(who: Account): Promise<string>
}

/** Starts the sample in memory. It stops after the tests of the file. */
export async function startSample(settings: Record<string, string> = {}): Promise<Sample> {
  const { url, stop } = await startServerProcess('memory', settings)
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-clients-'))
  after(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  const made = await fetch(`${url}/testing/organizations`, {
    method: 'POST',
    body: JSON.stringify({ subdomain: '', preset: 'sample' }),
  })
  const { users, channels } = (await made.json()) as Pick<Sample, 'users' | 'channels'>

  return {
    url,
    users,
    channels,
    folder,
    account: (name) => users[name] as Account,
    async call(who, route, params = {}) {
      const [method = '', target = ''] = route.split(' ')
      const form = new URLSearchParams(params)
      const response = await fetch(`${url}/api/v1${target}${method === 'GET' ? `?${form}` : ''}`, {
        method,
        headers: { authorization: `Basic ${Buffer.from(`${who.email}:${who.api_key}`).toString('base64')}` },
        ...(method !== 'GET' && { body: form }),
      })
      const answer = (await response.json()) as Answer
      assert.equal(answer.result, 'success', `${route}: ${answer.msg}`)
      return answer
    },
    async zuliprc(who) {
      const file = path.join(folder, `zuliprc-${who.user_id}`)
      // zulip-terminal requires that only the owner can read the file.
      await writeFile(file, `[api]\nemail=${who.email}\nkey=${who.api_key}\nsite=${url}\n`, { mode: 0o600 })
      return file
    },
  }
}
