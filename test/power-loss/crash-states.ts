import type { Operation, RecordedFile } from './record.ts'

/** The writes that survive without a sync: none, all, or any mix of old and new sectors. */
export type SurvivingWrites = 'nothing' | 'everything' | 'any mix'

/** The content of the disk after the power loss. */
export type CrashState = { database: Buffer; log: Buffer }

/** A disk writes a sector as a whole. */
const SECTOR = 512

type Options = { survival: SurvivingWrites; random: () => number; trusts?: (file: RecordedFile) => boolean }

/**
 * Returns the content of the disk if the power is lost before the operation `at`. Syncs of files that are not trusted
 * have no effect.
 */
export function crashState(operations: readonly Operation[], at: number, options: Options): CrashState {
  return { database: fileAfter('database', operations, at, options), log: fileAfter('log', operations, at, options) }
}

function fileAfter(
  file: RecordedFile,
  operations: readonly Operation[],
  at: number,
  { survival, random, trusts = () => true }: Options,
): Buffer {
  const syncedUpTo = trusts(file) ? findSynced(file, operations, at) : 0
  const image = new Image(operations, file)
  image.apply(operations.slice(0, survival === 'everything' ? at : syncedUpTo))
  if (survival !== 'any mix') return image.content
  return image.mix(operations.slice(syncedUpTo, at), random)
}

/** Returns the operation up to which all writes to the file are synced. */
function findSynced(file: RecordedFile, operations: readonly Operation[], at: number): number {
  const begun = new Map<number, number>()
  let synced = 0
  for (const [index, operation] of operations.slice(0, at).entries()) {
    if (operation.kind === 'sync begin' && operation.file === file) begun.set(operation.number, index)
    if (operation.kind === 'sync end' && operation.file === file)
      synced = Math.max(synced, begun.get(operation.number) ?? 0)
  }
  return synced
}

/** The content of a file during writes. */
class Image {
  readonly #file: RecordedFile
  readonly #bytes: Buffer
  #length = 0

  constructor(operations: readonly Operation[], file: RecordedFile) {
    this.#file = file
    const ends = operations.map((operation) => ('offset' in operation ? operation.offset + operation.bytes.length : 0))
    this.#bytes = Buffer.alloc(ends.reduce((most, end) => Math.max(most, end), 0) + SECTOR)
  }

  get content(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  apply(operations: readonly Operation[]): void {
    for (const operation of operations) {
      if (!('file' in operation) || operation.file !== this.#file) continue
      if (operation.kind === 'truncate') {
        this.#bytes.fill(0, operation.length)
        this.#length = operation.length
      } else if (operation.kind === 'write') {
        operation.bytes.copy(this.#bytes, operation.offset)
        this.#length = Math.max(this.#length, operation.offset + operation.bytes.length)
      }
    }
  }

  /** Returns each sector as it is now, or after some of the next writes; the same for the length. */
  mix(operations: readonly Operation[], random: () => number): Buffer {
    const lengths = [this.#length]
    const versions = new Map<number, Buffer[]>()
    const noteSector = (start: number) => {
      const known = versions.get(start) ?? []
      known.push(Buffer.from(this.#bytes.subarray(start, start + SECTOR)))
      versions.set(start, known)
    }
    for (const operation of operations) {
      if (!('file' in operation) || operation.file !== this.#file) continue
      const touched: number[] = []
      if (operation.kind === 'write') {
        const end = operation.offset + operation.bytes.length
        for (let start = operation.offset - (operation.offset % SECTOR); start < end; start += SECTOR)
          touched.push(start)
      }
      for (const start of touched) if (!versions.has(start)) noteSector(start)
      this.apply([operation])
      for (const start of touched) noteSector(start)
      lengths.push(this.#length)
    }
    const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value
    for (const [start, known] of versions) pick(known).copy(this.#bytes, start)
    return this.#bytes.subarray(0, pick(lengths))
  }
}
