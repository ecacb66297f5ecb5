import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProgress } from './output.ts'

/** Makes the reports one after another, with a pause after each; returns the output. */
async function written(isTTY: boolean, reports: [string, number, number?][]): Promise<string> {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
  {
    using progress = openProgress(stream)
    for (const report of reports) {
      progress.report(...report)
      await sleep(110)
    }
  }
  stream.end()
  return (await stream.toArray()).join('')
}

test('on a terminal one line changes and is removed at the end', async () => {
  const shown = await written(true, [
    ['Rows', 1000, 20_000],
    ['Files', 7],
  ])

  const [long, short] = ['Rows: 5 %, 1,000 of 20,000', 'Files: 7']
  const blank = ' '.repeat(long.length)
  assert.equal(shown, `\r${long}\r${short.padEnd(long.length)}\r${blank}\r`)
})

test('short jobs write nothing to a log', async () => {
  assert.equal(await written(false, [['Rows', 1000, 20_000]]), '')
})
