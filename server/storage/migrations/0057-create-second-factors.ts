import type { Migrator } from '../schema.ts'

/** Creates the second factors of accounts, and the time at which a session was last confirmed. */
export async function createSecondFactors({ createTable, run }: Migrator): Promise<void> {
  const belongsTo = { userId: 'users' }
  await run(`alter table "sessions" add column "confirmedAt" real`)
  await createTable('totpSecrets', {
    columns: { userId: 'integer', secret: 'text', createdAt: 'real', lastStep: 'integer' },
    primaryKey: ['userId'],
    belongsTo,
  })
  await createTable('passkeys', {
    columns: {
      id: 'id',
      userId: 'integer',
      credentialId: 'text',
      publicKey: 'text',
      counter: 'integer',
      transports: 'text',
      name: 'text',
      createdAt: 'real',
      lastUsedAt: 'real?',
    },
    unique: [['credentialId']],
    indexes: [['userId']],
    belongsTo,
  })
  await createTable('recoveryCodes', {
    columns: { userId: 'integer', hash: 'text' },
    primaryKey: ['userId', 'hash'],
    belongsTo,
  })
  await createTable('usedChallenges', {
    columns: { hash: 'text', expiresAt: 'real' },
    primaryKey: ['hash'],
  })
  await createTable('trustedBrowsers', {
    columns: { id: 'id', userId: 'integer', hash: 'text', browser: 'text', createdAt: 'real', expiresAt: 'real' },
    unique: [['hash']],
    indexes: [['userId']],
    belongsTo,
  })
}
