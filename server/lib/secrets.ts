import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  type KeyObject,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'

// Random keys, and the ways to store and compare secrets. Randomness is injected, so that tests can repeat it. The
// database contains only hashes of keys. Comparisons take the same time for every input. A sealed string carries its
// content and proves that this server made it. Secrets that the server must read again, such as tokens of other services,
// are stored encrypted.

/** The source of all secrets, file names and colors. Tests may replace it with a source that they can replay. */
export type Random = { bytes(count: number): Buffer }

/** The operating system's generator. It is read in large blocks; bytes are returned once and then erased. */
export const systemRandom: Random = drawFrom(Buffer.alloc(4096))

function drawFrom(stock: Buffer): Random {
  let used = stock.length
  return {
    bytes(count) {
      if (count > stock.length) return randomFillSync(Buffer.alloc(count))
      if (used + count > stock.length) {
        randomFillSync(stock)
        used = 0
      }
      const drawn = Buffer.from(stock.subarray(used, used + count))
      stock.fill(0, used, used + count)
      used += count
      return drawn
    },
  }
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Returns a string of `length` ASCII letters and digits, each equally likely. */
export function randomLetters(random: Random, length: number): string {
  let letters = ''
  while (letters.length < length) {
    for (const byte of random.bytes(length * 2)) {
      // 248 is the highest multiple of 62 in a byte; larger bytes would make the first letters more likely.
      if (byte < 248 && letters.length < length) letters += LETTERS_AND_DIGITS[byte % 62]
    }
  }
  return letters
}

/**
 * Encodes bytes in lower-case base32 (RFC 4648 alphabet, no padding). Each character encodes 5 bits, and remaining bits
 * are dropped.
 */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let connection = 0
  for (const byte of bytes) {
    connection = (connection << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32[(connection >> bits) & 31]
    }
    connection &= (1 << bits) - 1
  }
  return text
}

/** Decodes the result of `toBase32`; remaining bits are dropped. */
export function fromBase32(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let connection = 0
  for (const character of text) {
    connection = (connection << 5) | BASE32.indexOf(character)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push(connection >> bits)
    connection &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}

/** Returns the SHA-256 of a secret in hexadecimal. Secrets of high entropy are stored in this form. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Returns whether two strings are equal. The time depends only on their lengths. */
export function equalSecrets(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Returns a URL-safe string that contains `content` in readable form and cannot be made without the secret. The string
 * is valid while `circumstances` are the same: the purpose of the string, and the state that must not have changed
 * since.
 */
export function seal(secret: KeyObject, circumstances: readonly unknown[], content: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(content))
  const seal = createHmac('sha256', secret).update(JSON.stringify(circumstances)).update(payload)
  return `${payload.toString('base64url')}.${seal.digest('base64url')}`
}

/** Returns the content of a sealed string without verifying it; undefined if the string is invalid. */
export function readSealedContent(text: string): unknown {
  const [payload = ''] = text.split('.')
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Returns whether the text equals the result of `seal` for the same arguments. */
export function verifySeal(
  secret: KeyObject,
  circumstances: readonly unknown[],
  content: readonly unknown[],
  text: string,
): boolean {
  return equalSecrets(text, seal(secret, circumstances, content))
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const encryptionKey = (secret: KeyObject) =>
  Buffer.from(hkdfSync('sha256', secret, '', 'encryption of stored secrets', 32))

/**
 * Returns a text in encrypted form. It can be read with the secret and the same circumstances only: the purpose of the
 * text, and its owner.
 */
export function encrypt(secret: KeyObject, random: Random, circumstances: readonly unknown[], text: string): string {
  const nonce = random.bytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, encryptionKey(secret), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(JSON.stringify(circumstances)))
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Returns the text that `encrypt` was given; null if the secret or the circumstances differ. */
export function decrypt(secret: KeyObject, circumstances: readonly unknown[], encrypted: string): string | null {
  const bytes = Buffer.from(encrypted, 'base64url')
  const start = NONCE_BYTES + TAG_BYTES
  if (bytes.length < start) return null
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, encryptionKey(secret), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(JSON.stringify(circumstances)))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, start))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString()
  } catch {
    return null
  }
}
