import { argon2, timingSafeEqual } from 'node:crypto'
import type { Random } from '#lib/secrets.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { MAX_PASSWORD_LENGTH, tooManyPasswords } from './password-rules.ts'
import { deleteTrustedBrowsers } from './second-factors.ts'
import type { User } from './users.ts'

// The hashes of passwords. Hashing runs outside of the event loop in a limited queue. A password can be replaced only by
// a caller who knows its current hash, so two changes never both succeed.

/** The cost of one hash: memory in KiB, and the number of passes over this memory. */
export type PasswordCost = { memory: number; passes: number }

/** The cost of stored hashes: 19 MiB and two passes, which take one core 15 to 40 ms. */
export const PASSWORD_COST: PasswordCost = { memory: 19_456, passes: 2 }

/** The minimum cost that the algorithm allows, for tests. */
export const MIN_PASSWORD_COST: PasswordCost = { memory: 8, passes: 1 }

/** Hashes passwords off the main thread, a few at a time. */
export type Passwords = {
  /** Returns the argon2id hash of the password, as a PHC string. */
  hash(password: string): Promise<string>
  /**
   * Returns whether the password is correct. It returns false if `hash` is null, because there is no account, or if the
   * password is too long. It takes the same time in all cases.
   */
  verify(hash: string | null, password: string): Promise<boolean>
  /** Returns whether the hash was made at another cost than new ones. */
  isOutdated(hash: string): boolean
}

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    passwords: Passwords
  }
}

/**
 * The maximum length of a password that is processed, in code units. A valid password is never longer, however it is
 * composed. The limit is needed because normalization takes quadratic time.
 */
const MAX_CODE_UNITS = 10 * MAX_PASSWORD_LENGTH

const SALT_LENGTH = 16
const TAG_LENGTH = 32

/**
 * The maximum number of hashes that are computed at once. The other threads of the pool remain free for files and DNS
 * lookups.
 */
const CONCURRENCY = 2

/** The maximum number of hashes that wait. Computing them takes about two seconds. */
const MAX_WAITING = 100

export function openPasswords(random: Random, cost: PasswordCost = PASSWORD_COST): Passwords {
  const limited = concurrencyLimit(CONCURRENCY, MAX_WAITING)
  return {
    hash(password) {
      return limited(async () => toPhc(await derive(password, random.bytes(SALT_LENGTH), cost, TAG_LENGTH)))
    },
    verify(hash, given) {
      const isValidLength = given.length <= MAX_CODE_UNITS
      const password = isValidLength ? given : ''
      const { salt, tag, ...known } =
        hash === null ? { ...cost, salt: Buffer.alloc(SALT_LENGTH), tag: null } : fromPhc(hash)
      return limited(async () => {
        const derived = await derive(password, salt, known, tag?.length ?? TAG_LENGTH)
        return isValidLength && tag !== null && timingSafeEqual(derived.tag, tag)
      })
    },
    isOutdated(hash) {
      const { memory, passes } = fromPhc(hash)
      return memory !== cost.memory || passes !== cost.passes
    },
  }
}

type Derived = PasswordCost & { salt: Buffer; tag: Buffer }

/**
 * Derives the hash of a password. It normalizes the password to NFC first, since keyboards encode the same letters
 * differently.
 */
function derive(password: string, salt: Buffer, { memory, passes }: PasswordCost, tagLength: number): Promise<Derived> {
  const message = password.normalize('NFC')
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce: salt, memory, passes, parallelism: 1, tagLength }, (error, tag) =>
      error ? reject(error) : resolve({ memory, passes, salt, tag }),
    )
  })
}

function toPhc({ memory, passes, salt, tag }: Derived): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${toBase64(salt)}$${toBase64(tag)}`
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function fromPhc(hash: string): Derived {
  const [, memory, passes, salt, tag] = PHC.exec(hash) ?? []
  if (salt === undefined || tag === undefined) throw new Error('A password hash in the database is invalid')
  return {
    memory: Number(memory),
    passes: Number(passes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** Returns a function that runs `limit` jobs at once, queues `maxWaiting` more, and refuses further ones. */
function concurrencyLimit(limit: number, maxWaiting: number): <Result>(job: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let free = limit
  return async (job) => {
    if (free > 0) free -= 1
    else if (waiting.length >= maxWaiting) throw tooManyPasswords()
    else await new Promise<void>((begin) => waiting.push(begin))
    try {
      return await job()
    } finally {
      // A free slot goes to a waiting job first.
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

export async function findPasswordHash(db: Db, userId: number): Promise<string | null> {
  const row = await db.selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst()
  return row?.passwordHash ?? null
}

/**
 * Returns whether the account is active and still has this password hash. The account stays locked until the
 * transaction ends.
 */
export async function lockPassword(tx: Transaction, userId: number, passwordHash: string | null): Promise<boolean> {
  const row = await tx.db
    .selectFrom('users')
    .select(['passwordHash', 'deactivatedAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined && row.deactivatedAt === null && row.passwordHash === passwordHash
}

/**
 * Changes the password hash, and forgets the trusted browsers. Returns false and changes nothing if the current hash is
 * not `oldHash`, the address has changed, or the account is deactivated.
 */
export async function replacePasswordHash(
  tx: Transaction,
  { id, deliveryEmail }: User,
  oldHash: string | null,
  passwordHash: string,
): Promise<boolean> {
  const changed = await tx
    .updateTable('users')
    .set({ passwordHash })
    .where('id', '=', id)
    .where('passwordHash', oldHash === null ? 'is' : '=', oldHash)
    .where('deliveryEmail', '=', deliveryEmail)
    .where('deactivatedAt', 'is', null)
    .returning('id')
    .execute()
  if (changed.length === 0) return false
  await deleteTrustedBrowsers(tx, id)
  return true
}
