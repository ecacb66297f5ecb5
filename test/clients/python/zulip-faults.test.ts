import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { startSample } from '../sample.ts'
import { openPythonClients } from './environment.ts'
import { eventually, startProgram } from './program.ts'

const python = await openPythonClients()
const options = { skip: python.missing, timeout: 800_000 }

/** Prints each message that the event loop of the module receives. */
const LISTENER = `import sys, zulip
client = zulip.Client(config_file=sys.argv[1])
client.call_on_each_message(lambda message: print(message["content"], flush=True))
`

test(
  'the event loop of the zulip module survives a limit, slow and lost polls, a proxy error and a lost queue',
  options,
  async () => {
    const sample = await startSample()
    const [alice, bob] = [sample.account('alice'), sample.account('bob')]
    const file = path.join(sample.folder, 'listen.py')
    await writeFile(file, LISTENER)
    const testing = async (method: string, body?: object) => {
      const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) }
      return (await (await fetch(`${sample.url}/testing/faults`, init)).json()) as { result: string; faults: object[] }
    }
    const listener = startProgram(path.join(python.programs, 'python'), [file, await sample.zuliprc(alice)], {
      cwd: sample.folder,
    })
    /** Sends messages until the listener has printed one of them. */
    const reach = (content: string) =>
      eventually(
        async () => {
          await sample.call(bob, 'POST /messages', { type: 'direct', to: `[${alice.user_id}]`, content })
          return listener.stdout.includes(content) || undefined
        },
        () => `The listener did not get "${content}": ${listener.stdout}${listener.stderr}`,
      )
    await reach('before')

    for (const fault of ['rate_limit', 'slow', 'drop', 'bad_gateway', 'expired_queue'])
      assert.equal(
        (await testing('POST', { fault, method: 'GET', path: '/events', user_id: alice.user_id })).result,
        'success',
      )
    await eventually(
      async () => {
        await sample.call(bob, 'POST /messages', { type: 'direct', to: `[${alice.user_id}]`, content: 'meanwhile' })
        return (await testing('GET')).faults.length === 0 || undefined
      },
      () => `Not all faults happened: ${listener.stderr}`,
    )
    await reach('afterwards')

    await listener.interrupt()
  },
)
