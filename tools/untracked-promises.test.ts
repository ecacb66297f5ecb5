import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/storage.ts'

const SCRIPT = path.join(import.meta.dirname, 'untracked-promises.mjs')

/** Runs a test file with the script; returns its exit code, and what it wrote. */
async function runTests(text: string) {
  const file = path.join(await temporaryFolder(), 'some.test.mjs')
  await writeFile(
    file,
    `import { after, test } from 'node:test'\nimport { createHook } from 'node:async_hooks'\n${text}`,
  )
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return spawnSync(process.execPath, ['--import', SCRIPT, file], { env, encoding: 'utf8', timeout: 60_000 })
}

/** Returns the lines that the tests themselves wrote. */
const written = (text: string) => text.split('\n').filter((line) => line.startsWith('- '))

test('after belongs to the test that calls it, and outside of tests to the process', async () => {
  const { status, stdout } = await runTests(`
    after(() => console.log('- end of all'))
    for (const name of ['one', 'two'])
      test(name, async () => {
        await null
        await new Promise((resolve) => setTimeout(resolve, 1))
        after(() => console.log('- end of ' + name))
        console.log('- ' + name)
      })
  `)

  assert.deepEqual(written(stdout), ['- one', '- end of one', '- two', '- end of two', '- end of all'])
  assert.equal(status, 0)
})

test('hooks do not see promises', async () => {
  const { stdout } = await runTests(`
    const types = new Set()
    createHook({ init: (id, type) => types.add(type) }).enable()
    test('promises', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      console.log('- ' + types.has('Timeout') + ' ' + types.has('PROMISE'))
    })
  `)

  assert.deepEqual(written(stdout), ['- true false'])
})

for (const [what, text] of [
  ['exception', "setTimeout(() => { throw new Error('broken') }, 1)"],
  ['rejection', "void Promise.reject(new Error('broken'))"],
])
  test(`an uncaught ${what} ends the process with an error`, async () => {
    const { status, stderr } = await runTests(
      `test('waits for ever', () => new Promise(() => { setInterval(() => {}, 1000); ${text} }))`,
    )

    assert.equal(status, 1)
    assert.match(stderr, /Error: broken/)
  })
