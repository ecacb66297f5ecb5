import { Readable } from 'node:stream'
import { checkedName, type FileStore } from './files.ts'
import { filesInFolder } from './files-in-folder.ts'

/** Opens a store for files in `folder`. The first file creates the folder. If `folder` is null, files are in memory. */
export function openFileStore(folder: string | null): FileStore {
  return folder === null ? filesInMemory() : filesInFolder(folder)
}

function filesInMemory(): FileStore {
  const files = new Map<string, Buffer>()
  return {
    async save(name, bytes) {
      files.set(checkedName(name), Buffer.from(bytes))
    },
    async create(name) {
      checkedName(name)
      const pieces: Buffer[] = []
      return {
        write: async (bytes) => void pieces.push(Buffer.from(bytes)),
        finish: async () => void files.set(name, Buffer.concat(pieces)),
        abandon: async () => {},
      }
    },
    read: async (name) => files.get(checkedName(name)) ?? null,
    findSource: async (name) => files.get(checkedName(name)) ?? null,
    findSize: async (name) => files.get(checkedName(name))?.length ?? null,
    stream: (name, { start, end }) => Readable.from([files.get(checkedName(name))?.subarray(start, end) ?? '']),
    findFreeSpace: async () => null,
    async delete(name) {
      files.delete(checkedName(name))
    },
    async *list(name) {
      for (const file of [...files.keys()]) if (file.startsWith(`${checkedName(name)}/`)) yield file
    },
  }
}
