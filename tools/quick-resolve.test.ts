import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { quickFlags } from './server-flags.mjs'

/** Prints where each import leads, and as what, that loading the server makes. */
const RECORD = `
  import { registerHooks } from 'node:module'
  const found = []
  registerHooks({
    resolve(specifier, context, next) {
      const { url, format } = next(specifier, context)
      found.push([context.parentURL, specifier, url, format].join(' '))
      return { url, format, shortCircuit: true }
    },
  })
  await import(${JSON.stringify(new URL('../server/app.ts', import.meta.url).href)})
  console.log(JSON.stringify(found))`

async function importsMade(flags: readonly string[]): Promise<string[]> {
  const args = [...flags, '--input-type=module', '--eval', RECORD]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })
  return (JSON.parse(stdout) as string[]).sort()
}

test('what is answered at once is what Node would have found', async () => {
  const [quick, asked] = [await importsMade(quickFlags), await importsMade([])]

  assert.deepEqual(quick, asked)
  assert.ok(asked.some((line) => / \S+\/server\/api\.ts module-typescript$/.test(line)))
  assert.ok(asked.some((line) => / \S+\/node_modules\/kysely\/\S+ module$/.test(line)))
})
