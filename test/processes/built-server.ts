import assert from 'node:assert/strict'
import path from 'node:path'
import { buildServer, builtScript } from '../../tools/server-build.mjs'

const REPOSITORY = path.join(import.meta.dirname, '../..')

/** Returns the built file for a script of the server, which is rebuilt if its sources have changed. */
export async function builtServer(script: 'server/main.ts' | 'server/cli.ts'): Promise<string> {
  const built = builtScript(REPOSITORY, script)
  if (built !== null) return built
  assert.equal(await buildServer(REPOSITORY), null)
  return builtScript(REPOSITORY, script) as string
}
