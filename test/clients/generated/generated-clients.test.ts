import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { isLong } from '../../size.ts'
import { startSample } from '../sample.ts'
import { generators, openGenerator, run } from './generators.ts'

const skip = !isLong && 'generating and compiling clients takes minutes: npm run test:long'
const sample = isLong ? await startSample() : null

for (const [at, generator] of generators.entries())
  test(`the client that ${generator.name} generates compiles, reports presence, fetches, invites and unsubscribes`, {
    skip,
    timeout: 1_800_000,
  }, async (context) => {
    assert.ok(sample !== null)
    const { tools, missing } = await openGenerator(generator)
    if (missing) return context.skip(missing)
    const alice = sample.account('alice')
    const { id } = await sample.call(alice, 'POST /messages', {
      type: 'channel',
      to: 'pub',
      topic: 'generated',
      content: '*hello*',
    })
    const work = path.join(sample.folder, `generated-${at}`)
    await mkdir(work)
    const document = await fetch(`${sample.url}/api/v1/openapi.json`)
    await writeFile(path.join(work, 'openapi.json'), await document.text())

    const { command, args } = await generator.build(tools, work)
    const written = await run(command, args, work, {
      PARLEY_URL: sample.url,
      PARLEY_AUTHORIZATION: `Basic ${Buffer.from(`${alice.email}:${alice.api_key}`).toString('base64')}`,
      PARLEY_MESSAGE: String(id),
      PARLEY_CHANNEL: String(sample.channels['pub']?.stream_id),
      PARLEY_ADDRESS: `generated-${at}@example.com`,
    })

    assert.deepEqual(JSON.parse(written), {
      presence: 'success',
      content: '*hello*',
      invited: 'success',
      removed: ['pub'],
    })
    await sample.call(alice, 'POST /users/me/subscriptions', { subscriptions: JSON.stringify([{ name: 'pub' }]) })
  })
