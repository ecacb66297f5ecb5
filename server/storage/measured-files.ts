import type { FileOperation, Meter } from '#lib/meter.ts'
import type { FileStore } from './files.ts'

// A file store that reports the time and the outcome of each operation, whatever stores the files.

/** Returns the store unchanged if there is no meter. */
export function measuredFiles(files: FileStore, meter: Meter | undefined): FileStore {
  if (meter === undefined) return files
  const begin = (operation: FileOperation) => {
    const startedAt = performance.now()
    return (hasFailed: boolean) =>
      meter.fileOperationEnded(operation, (performance.now() - startedAt) / 1000, hasFailed)
  }
  async function measure<Result>(operation: FileOperation, work: () => Promise<Result>): Promise<Result> {
    const end = begin(operation)
    let hasFailed = true
    try {
      const result = await work()
      hasFailed = false
      return result
    } finally {
      end(hasFailed)
    }
  }
  return {
    ...files,
    save: (name, bytes) => measure('save', () => files.save(name, bytes)),
    async create(name) {
      const writer = await measure('save', () => files.create(name))
      return {
        write: (bytes) => writer.write(bytes),
        finish: () => measure('save', () => writer.finish()),
        abandon: () => writer.abandon(),
      }
    },
    read: (name) => measure('read', () => files.read(name)),
    findSize: (name) => measure('find', () => files.findSize(name)),
    stream(name, range) {
      const end = begin('stream')
      const stream = files.stream(name, range)
      return stream.once('close', () => end(stream.errored !== null))
    },
    delete: (name) => measure('delete', () => files.delete(name)),
    async *list(name) {
      const end = begin('list')
      let hasFailed = true
      try {
        yield* files.list(name)
        hasFailed = false
      } finally {
        end(hasFailed)
      }
    },
  }
}
