import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../test/storage.ts'
import { testClock } from './clock.ts'
import { checkedOutCommit, returnUnusedMemory } from './process.ts'

const MB = 2 ** 20

/** A process whose memory falls to `used` when it collects its garbage. */
function start() {
  const clock = testClock(1_900_000_000)
  const state = { memory: 100 * MB, used: 100 * MB, utilization: 0, collections: 0 }
  const stop = returnUnusedMemory({
    clock,
    memory: () => state.memory,
    utilization: () => state.utilization,
    collect() {
      state.collections += 1
      state.memory = state.used
    },
  })
  return { clock, state, stop }
}

test('memory is returned when the server is quiet after a load, and not during the load', async () => {
  const { clock, state, stop } = start()

  Object.assign(state, { memory: 400 * MB, utilization: 0.8 })
  await clock.advance(60)
  const whileBusy = state.collections
  state.utilization = 0.1
  await clock.advance(60)

  assert.deepEqual([whileBusy, state.collections, state.memory], [0, 1, 100 * MB])
  stop()
})

test('memory that is in use, or that has hardly grown, is not collected again and again', async () => {
  const { clock, state, stop } = start()

  Object.assign(state, { memory: 400 * MB, used: 300 * MB })
  await clock.advance(600)
  const afterGrowth = state.collections
  state.memory += 31 * MB
  await clock.advance(600)
  const afterLittleGrowth = state.collections
  state.memory += MB
  await clock.advance(600)

  assert.deepEqual([afterGrowth, afterLittleGrowth, state.collections], [1, 1, 2])
  stop()
  state.memory = 500 * MB
  await clock.advance(600)
  assert.equal(state.collections, 2)
})

test('a collection returns the pages of the garbage to the system', async () => {
  const module = new URL('./process.ts', import.meta.url).href
  const script = `
    import { findCollector } from ${JSON.stringify(module)}
    let kept = []
    for (let at = 0; at < 400_000; at += 1) kept.push({ id: at, name: 'n' + at, ids: [at, at + 1] })
    const peak = process.memoryUsage.rss()
    kept = null
    findCollector()()
    console.log((peak - process.memoryUsage.rss()) / 2 ** 20)`

  const args = ['--expose-gc', '--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)

  assert.ok(Number(stdout) > 20, `${stdout} MiB were returned`)
})

test('the commit of a checkout is found on a branch, in packed branches, detached, and in a worktree', async () => {
  const [first, second, third] = ['a', 'b', 'c'].map((digit) => digit.repeat(40))
  const folder = await temporaryFolder()
  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
    await writeFile(path.join(folder, file), text)
  }
  assert.equal(checkedOutCommit(folder), undefined)

  await write('.git/HEAD', 'ref: refs/heads/main\n')
  assert.equal(checkedOutCommit(folder), undefined)
  await write('.git/packed-refs', `# pack-refs with: peeled\n${first} refs/heads/main\n`)
  assert.equal(checkedOutCommit(folder), first)
  await write('.git/refs/heads/main', `${second}\n`)
  assert.equal(checkedOutCommit(folder), second)
  await write('.git/HEAD', `${third}\n`)
  assert.equal(checkedOutCommit(folder), third)

  await write('.git/worktrees/tree/HEAD', 'ref: refs/heads/main\n')
  await write('.git/worktrees/tree/commondir', '../..\n')
  await write('tree/.git', `gitdir: ${folder}/.git/worktrees/tree\n`)
  assert.equal(checkedOutCommit(path.join(folder, 'tree')), second)
})
