import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '#lib/log.ts'
import { syncFolder } from '#storage/sync-to-disk.ts'
import type { Pair } from '../pairs.ts'

// The files of HTTPS=auto, in the folder `certificates` of DATA_DIR: the key of the account, one file for each host with
// its key and certificate chain, and what is known about failed orders. A file appears under its name only when it is
// complete and durable, so a key and its certificate are never of different orders.

const failedOrder = z.object({
  /** The number of consecutive failures. */
  failures: z.number(),
  /** The UNIX time of the first of them. */
  since: z.number(),
  /** The UNIX time before which there is no other order. */
  nextAt: z.number(),
  /** The kind of the last problem; '' for an order that has not ended. */
  kind: z.string(),
})

const history = z.object({
  /** The UNIX time before which there is no order at all. */
  pausedUntil: z.number(),
  /** The UNIX times of orders for hosts of organizations that had no certificate. */
  firstOrders: z.array(z.number()),
  hosts: z.record(z.string(), failedOrder),
})

const account = z.object({
  directory: z.string(),
  email: z.string(),
  /** The address of the account at the authority. */
  url: z.string(),
  /** In PEM format. */
  key: z.string().refine(isKey),
})

/** The account at an authority. */
export type Account = z.infer<typeof account>

/** The past that survives restarts, so that a server that starts again and again does not use up the limits. */
type History = z.infer<typeof history>

export type Store = {
  readHistory(): Promise<History>
  saveHistory(history: History): Promise<void>
  /** Returns the account; null if there is none. */
  readAccount(): Promise<Account | null>
  saveAccount(account: Account): Promise<void>
  deleteAccount(): Promise<void>
  /** Returns the certificate and key of a host, as they are in the file; null if there is none. */
  readPair(host: string): Promise<Pair | null>
  savePair(host: string, pair: Pair): Promise<void>
}

const ACCOUNT = 'account.json'
const HISTORY = 'orders.json'

export function openStore(dataDir: string, log: Log): Store {
  const folder = join(dataDir, 'certificates')

  async function save(name: string, content: string): Promise<void> {
    const path = join(folder, name)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    {
      await using file = await open(`${path}~`, 'w', 0o600)
      await file.chmod(0o600)
      await file.writeFile(content)
      await file.sync()
    }
    await rename(`${path}~`, path)
    await syncFolder(folder)
    await syncFolder(dataDir)
  }

  async function read(name: string): Promise<string | null> {
    try {
      return await readFile(join(folder, name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  /** Returns the content of a file; null if there is none, or none that can be used. */
  async function parse<Value>(type: z.ZodType<Value>, name: string, complaint: string): Promise<Value | null> {
    const text = await read(name)
    if (text === null) return null
    try {
      return type.parse(JSON.parse(text))
    } catch {
      log.error({ file: join(folder, name) }, complaint)
      return null
    }
  }

  return {
    readHistory: async () =>
      (await parse(history, HISTORY, 'The record of orders is damaged: a new one begins')) ?? {
        pausedUntil: 0,
        firstOrders: [],
        hosts: {},
      },
    saveHistory: (saved) => save(HISTORY, JSON.stringify(saved)),
    readAccount: () =>
      parse(account, ACCOUNT, 'The account at the certificate authority is damaged: it gets another one'),
    saveAccount: (saved) => save(ACCOUNT, JSON.stringify(saved)),
    deleteAccount: () => rm(join(folder, ACCOUNT), { force: true }),
    async readPair(host) {
      const text = await read(fileOf(host))
      if (text === null) return null
      const at = text.indexOf('-----BEGIN CERTIFICATE-----')
      return { key: text.slice(0, Math.max(at, 0)), cert: text.slice(Math.max(at, 0)) }
    },
    savePair: (host, { key, cert }) => save(fileOf(host), `${key.trim()}\n${cert}`),
  }
}

/** Host names are in the form of URLs, so they have no characters that mean anything in a path. */
const fileOf = (host: string) => `${host.replace(/[^a-z0-9.-]/g, '_')}.pem`

/** Returns whether the key signs what its own public part verifies. A damaged key may still have the right public part. */
function isKey(pem: string): boolean {
  const text = Buffer.from('parley')
  try {
    return verify(null, text, createPublicKey(pem), sign(null, text, createPrivateKey(pem)))
  } catch {
    return false
  }
}
