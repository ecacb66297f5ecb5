import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../storage.ts'

/**
 * An operation of a process on its database or log, or its output. A sync is durable from its end, for writes before
 * its beginning.
 */
export type Operation =
  | { kind: 'write'; file: RecordedFile; offset: number; bytes: Buffer }
  | { kind: 'truncate'; file: RecordedFile; length: number }
  | { kind: 'sync begin' | 'sync end'; file: RecordedFile; number: number }
  | { kind: 'line'; text: string }

export type RecordedFile = 'database' | 'log'

const run = promisify(execFile)

/** Returns the path of the recorder, built with the system's C compiler; or the reason why there is none. */
export async function buildRecorder(): Promise<{ path: string } | { missing: string }> {
  if (process.platform !== 'linux') return { missing: 'the recorder is for Linux' }
  const path = join(await temporaryFolder(), 'recorder.so')
  const source = new URL('./recorder.c', import.meta.url).pathname
  try {
    await run('cc', ['-shared', '-fPIC', '-O1', '-o', path, source, '-ldl', '-lpthread'])
    return { path }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { missing: 'there is no C compiler' }
    throw error
  }
}

/** Records processes/storage-writer.ts until it has acknowledged the given number of values and is killed. */
export async function recordWrites(recorder: string, acknowledgements: number): Promise<Operation[]> {
  const folder = await temporaryFolder()
  const recording = join(folder, 'recording')
  const script = new URL('../processes/storage-writer.ts', import.meta.url).pathname
  const writer = spawn(process.execPath, [script, join(folder, 'parley.db'), '0', '30'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LD_PRELOAD: recorder, RECORDING: recording },
  })
  const closed = once(writer, 'close')
  let lines = 0
  writer.stdout.on('data', (text) => {
    lines += String(text).split('\n').length - 1
    if (lines >= acknowledgements) writer.kill('SIGKILL')
  })
  const [code] = await closed
  if (code !== null) throw new Error(`The process ended by itself, with code ${code}`)
  return readOperations(await readFile(recording))
}

const HEAD = 20

function readOperations(recording: Buffer): Operation[] {
  const operations: Operation[] = []
  for (let at = 0; at + HEAD <= recording.length; ) {
    const length = recording.readUInt32LE(at + 16)
    const bytes = recording.subarray(at + HEAD, at + HEAD + length)
    // The last record may be truncated if the process was killed.
    if (bytes.length < length) break
    operations.push(readOperation(recording.subarray(at, at + HEAD), bytes))
    at += HEAD + length
  }
  return operations
}

function readOperation(head: Buffer, bytes: Buffer): Operation {
  const number = Number(head.readBigUInt64LE(8))
  const file = head.readUInt32LE(4) === 1 ? 'database' : 'log'
  switch (head.readUInt32LE(0)) {
    case 1:
      return { kind: 'write', file, offset: number, bytes }
    case 2:
      return { kind: 'truncate', file, length: number }
    case 3:
      return { kind: 'sync begin', file, number }
    case 4:
      return { kind: 'sync end', file, number }
    default:
      return { kind: 'line', text: String(bytes) }
  }
}
