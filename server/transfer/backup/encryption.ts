import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { OperatorError } from '#lib/errors.ts'

// Encryption of backups with age (https://age-encryption.org/v1), so that other programs can open them. Each file is
// encrypted by itself, for the recipients of the operator. With a passphrase, the recipient is a key of the backups,
// which the passphrase opens: deriving a key from it takes a second, which is too long for each file.

/** Passes the bytes of a file on, changed. */
export type Transform = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

/** The encryption of new backups. */
export type Encryption = {
  kind: 'passphrase' | 'recipients'
  recipients: readonly string[]
  /** The key that the passphrase opens, as an age file; null with recipients. */
  key: Buffer | null
  encrypt: Transform
  /** Null if this process has no key to decrypt what it encrypts. */
  decrypt: Transform | null
}

/** The suffix of encrypted files. */
export const AGE = '.age'

/** The packages are loaded on demand, because few commands need them. */
const load = () => import('age-encryption')

/** Separates the stored files of different recipients, because a backup uses those of earlier ones again. */
export const idOfRecipients = (recipients: readonly string[]): string =>
  createHash('sha256').update(recipients.join(' ')).digest('hex').slice(0, 8)

/** Returns an encryption for which this process has no key. */
export async function encryptionForRecipients(recipients: readonly string[]): Promise<Encryption> {
  const sorted = [...recipients].sort()
  return { kind: 'recipients', recipients: sorted, key: null, encrypt: await encryptorFor(sorted), decrypt: null }
}

/**
 * Returns the encryption with the key that the passphrase opens. `findKeys` returns the keys of earlier backups, newest
 * first; if the passphrase opens none of them, there is a new key.
 */
export async function encryptionWithPassphrase(passphrase: string, keys: readonly Buffer[]): Promise<Encryption> {
  const { Encrypter, generateX25519Identity, identityToRecipient } = await load()
  for (const key of keys) {
    const identity = await openKey(key, passphrase)
    if (identity !== null) return encryptionWithKey(key, identity)
  }
  const identity = await generateX25519Identity()
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  const lines = `# public key: ${await identityToRecipient(identity)}\n${identity}\n`
  return encryptionWithKey(Buffer.from(await encrypter.encrypt(lines)), identity)
}

async function encryptionWithKey(key: Buffer, identity: string): Promise<Encryption> {
  const { identityToRecipient } = await load()
  const recipients = [await identityToRecipient(identity)]
  return {
    ...{ kind: 'passphrase', recipients, key },
    encrypt: await encryptorFor(recipients),
    decrypt: await decryptorWith([identity]),
  }
}

/** Returns the identity in the key; null if the passphrase is wrong. */
async function openKey(key: Buffer, passphrase: string): Promise<string | null> {
  const { Decrypter } = await load()
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  try {
    return identitiesIn(await decrypter.decrypt(key, 'text'))[0] ?? null
  } catch {
    return null
  }
}

async function encryptorFor(recipients: readonly string[]): Promise<Transform> {
  const { Encrypter } = await load()
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw new OperatorError(`BACKUP_AGE_RECIPIENTS: ${recipient} is not a public key of age. Was it copied in full?`)
    }
  }
  return async function* (source) {
    yield* piecesOf(await encrypter.encrypt(toWebStream(source)))
  }
}

async function decryptorWith(identities: readonly string[]): Promise<Transform> {
  const { Decrypter } = await load()
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  return async function* (source) {
    yield* piecesOf(await decrypter.decrypt(toWebStream(source)))
  }
}

// The types of browsers, which the package uses, lack what Node.js has.
const toWebStream = (source: AsyncIterable<Uint8Array>) =>
  NodeReadableStream.from(source) as unknown as ReadableStream<Uint8Array>
const piecesOf = (stream: ReadableStream<Uint8Array>) => stream as unknown as AsyncIterable<Uint8Array>

/** Returns the lines of a file of age identities. */
const identitiesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

/** The keys that the operator gives to open backups. */
export type Keys = {
  /** Files of age identities. */
  identityFiles: readonly string[]
  /** Returns the passphrase, which may be asked for; null if there is none. */
  passphrase: () => Promise<string | null>
}

type Encrypted = { encryption: 'none' | 'passphrase' | 'recipients'; recipients: readonly string[] }

/**
 * Returns the function that decrypts the files of a backup; null if no key is given. Refuses keys of other backups. `key`
 * is the key that the passphrase opens.
 */
export async function openDecryption(
  { encryption, recipients }: Encrypted,
  key: Buffer | null,
  keys: Keys,
): Promise<Transform | null> {
  if (encryption === 'none')
    return async function* (source) {
      yield* source
    }
  const identities = (await Promise.all(keys.identityFiles.map(readIdentities))).flat()
  if (identities.length > 0) {
    const { identityToRecipient } = await load()
    const own = await Promise.all(identities.map((identity) => identityToRecipient(identity)))
    if (!own.some((recipient) => recipients.includes(recipient)))
      throw new OperatorError(
        `The identity in ${keys.identityFiles.join(', ')} opens files for ${own.join(', ')}, and this backup is for ${recipients.join(', ')}.`,
      )
    return decryptorWith(identities)
  }
  if (encryption === 'recipients' || key === null) return null
  const passphrase = await keys.passphrase()
  if (passphrase === null) return null
  const identity = await openKey(key, passphrase)
  if (identity === null) throw new OperatorError('The passphrase is wrong: it does not open the key of this backup.')
  return decryptorWith([identity])
}

async function readIdentities(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  if (text.startsWith('age-encryption.org/'))
    throw new OperatorError(`${path} is encrypted itself. Decrypt it first: age -d ${path} > identity.txt`)
  const identities = identitiesIn(text)
  if (identities.length === 0 || identities.some((line) => !/^AGE-SECRET-KEY-(PQ-)?1/.test(line)))
    throw new OperatorError(
      `${path} is not a file of age identities, with lines that begin with AGE-SECRET-KEY-1, as age-keygen writes it.`,
    )
  return identities
}
