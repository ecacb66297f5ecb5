import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { S3Body } from './client.ts'

/** Bytes beyond this number are written to the disk, because many uploads can arrive at the same time. */
const MAX_IN_MEMORY = 128 * 1024

const PIECE = 64 * 1024

/** Yields the first `size` bytes of the file, which stays open whatever becomes of the reader. */
async function* readPieces(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(Math.min(PIECE, size - at)), { position: at })
    if (bytesRead === 0) throw new Error('A file on its way to the store was cut')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/**
 * Bytes that wait for their request: their number and hash must be known before it begins. The file for them has no
 * name, so that nothing is left when the process is killed.
 */
export class Spool {
  readonly #folder: string
  readonly #mark: string
  #pieces: Buffer[] = []
  #file: FileHandle | null = null
  #hash: Hash = createHash('sha256')
  #size = 0

  /** `mark` is the name of the file until it is open. */
  constructor(folder: string, mark: string) {
    this.#folder = folder
    this.#mark = mark
  }

  get size(): number {
    return this.#size
  }

  async write(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    this.#size += bytes.length
    if (this.#file === null && this.#size > MAX_IN_MEMORY) {
      this.#file = await this.#openFile()
      await this.#file.write(Buffer.concat(this.#pieces))
      this.#pieces = []
    }
    if (this.#file === null) this.#pieces.push(Buffer.from(bytes))
    else await this.#file.writeFile(bytes)
  }

  /** Returns the bytes as the body of a request. Nothing may be written until the request is over. */
  toBody(): S3Body {
    const [file, size] = [this.#file, this.#size]
    const body = { size, sha256: this.#hash.digest('hex') }
    if (file === null) return { ...body, open: () => Buffer.concat(this.#pieces) }
    return { ...body, open: () => Readable.from(readPieces(file, size), { highWaterMark: 1 }) }
  }

  /** Begins again without bytes. */
  async empty(): Promise<void> {
    await this.close()
    this.#pieces = []
    this.#hash = createHash('sha256')
    this.#size = 0
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = null
  }

  async #openFile(): Promise<FileHandle> {
    const path = join(this.#folder, this.#mark)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx+', 0o600)
    try {
      await rm(path)
    } catch (error) {
      await file.close()
      throw error
    }
    return file
  }
}
