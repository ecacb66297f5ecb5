import { createSecretKey, type KeyObject } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '#config.ts'
import type { Random } from '#lib/security/random.ts'

/** The length of the secret in bytes. */
const LENGTH = 32

/**
 * Returns the secret of the installation. The server derives links from it. The secret is SECRET_KEY, or else the
 * content of a file in the data folder. The first start creates the file. The secret is stored separately from the
 * database, so that a copy of the database cannot open invitations.
 */
export function openServerSecret(settings: Settings, random: Random): KeyObject {
  return createSecretKey(readServerSecret(settings, random))
}

function readServerSecret(settings: Settings, random: Random): Buffer {
  if (settings.SECRET_KEY !== '') return Buffer.from(settings.SECRET_KEY)
  if (settings.DATABASE_URL === 'memory') return random.bytes(LENGTH)
  const path = join(settings.DATA_DIR, 'secret')
  mkdirSync(settings.DATA_DIR, { recursive: true })
  try {
    writeFileSync(path, random.bytes(LENGTH).toString('hex'), { flag: 'wx', mode: 0o600, flush: true })
    chmodSync(path, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return Buffer.from(readFileSync(path, 'latin1').trim(), 'hex')
}
