import { createReadStream } from 'node:fs'
import type { FileStore } from './files.ts'

/** Copies a file from the disk into the store; returns its size in bytes. `signal` aborts the copying. */
export async function storeFile(files: FileStore, source: string, name: string, signal?: AbortSignal): Promise<number> {
  const writer = await files.create(name)
  await using unfinished = new AsyncDisposableStack()
  unfinished.defer(() => writer.abandon())
  let size = 0
  for await (const piece of createReadStream(source, { signal })) {
    size += piece.length
    await writer.write(piece as Buffer)
  }
  unfinished.move()
  await writer.finish()
  return size
}
