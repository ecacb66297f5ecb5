import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import { testClock } from '#lib/clock.ts'
import { backUpSqlite } from '#storage/copy.ts'
import { filesInFolder } from '#storage/files.ts'
import { createOrganizationOf, openAppIn } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { type Encryption, encryptionForRecipients } from './backup/encryption.ts'
import { findManifest } from './backup/manifest.ts'
import { type BackupPlace, findSnapshots, openPlace } from './backup-places.ts'
import { keepBackup } from './keep-backups.ts'
import { type BackupSource, makeBackup } from './make-backup.ts'
import { type Keys, openBackup, verifyBackup } from './verify-backup.ts'

const run = promisify(execFile)

/** 2030-01-05 10:00 UTC. */
const START = 1893837600
const DAY = 86_400

const noKeys: Keys = { identityFiles: [], passphrase: async () => null }

/** Creates an installation with three uploads; returns its folder. */
async function createInstallation(): Promise<string> {
  const folder = await temporaryFolder()
  await using app = await openAppIn(folder)
  await createOrganizationOf(app, ['ada'])
  const { db, files } = app.services
  const { id, realmId } = await db
    .selectFrom('users')
    .selectAll()
    .where('fullName', '=', 'ada')
    .executeTakeFirstOrThrow()
  for (const name of ['one', 'two', 'three']) {
    await files.save(`uploads/${realmId}/ab/${name}`, Buffer.concat([Buffer.from(name), randomBytes(100_000)]))
    await app.services.transaction((tx) =>
      tx
        .insertInto('attachments')
        .values({
          ...{ realmId, ownerId: id, place: `${realmId}/ab/${name}`, fileName: 'a.txt', name: 'a.txt', size: 100_000 },
          ...{
            createdAt: START,
            unclaimedAt: null,
            imageType: null,
            imageWidth: null,
            imageHeight: null,
            isAnimated: 0,
          },
        })
        .execute(),
    )
  }
  return folder
}

function sourceOf(folder: string): BackupSource {
  return {
    copyDatabase: (path) => backUpSqlite(join(folder, 'parley.db'), path),
    databaseBytes: 1e6,
    files: filesInFolder(folder),
    secret: null,
    secretFile: join(folder, 'secret'),
  }
}

function settingsOf(given: Record<string, string>): Settings {
  return completeSettings(readSettings(given))
}

async function placeAt(path: string): Promise<BackupPlace> {
  return openPlace(path, settingsOf({}))
}

/** Makes a backup in a new folder, which has everything in it; returns the folder. */
async function backUp(source: BackupSource, encryption: Encryption | null = null): Promise<string> {
  const [folder, work] = [await temporaryFolder(), await temporaryFolder()]
  await makeBackup(source, {
    to: { place: await placeAt(folder), folder: '' },
    work,
    encryption,
    clock: testClock(START),
  })
  return folder
}

async function verify(path: string, keys = noKeys) {
  const place = await placeAt(path)
  const manifest = await findManifest(place.store, '')
  assert.ok(manifest)
  const backup = { place, folder: '', manifest }
  return verifyBackup(backup, { decrypt: await openBackup(backup, keys), work: await temporaryFolder() })
}

/** Returns numbers below `limit` that a seed repeats (a linear congruential generator). */
function seeded(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * limit)
  }
}

async function flipBit(path: string, random: (limit: number) => number): Promise<void> {
  const bytes = await readFile(path)
  const at = random(bytes.length)
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
  await writeFile(path, bytes)
}

async function generateIdentity(): Promise<{ file: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
  const identity = await generateX25519Identity()
  const file = join(await temporaryFolder(), 'identity.txt')
  await writeFile(file, `# created for a test\n${identity}\n`)
  return { file, recipient: await identityToRecipient(identity) }
}

test('a flipped bit anywhere in a backup is found, and its file is named', async () => {
  const source = sourceOf(await createInstallation())
  const { file, recipient } = await generateIdentity()
  const plain = await backUp(source)
  const encrypted = await backUp(source, await encryptionForRecipients([recipient]))
  const keys = { ...noKeys, identityFiles: [file] }
  const random = seeded(37)
  assert.deepEqual((await verify(plain)).faults, [])
  const whole = await verify(encrypted, keys)
  assert.deepEqual([whole.faults, whole.isRestored, whole.files], [[], true, 3])

  for (const [backup, usedKeys] of [
    [plain, noKeys],
    [encrypted, keys],
    [encrypted, noKeys],
  ] as const) {
    const manifest = await findManifest(filesInFolder(backup), '')
    for (const { name } of manifest?.objects ?? []) {
      const damaged = `${await temporaryFolder()}/copy`
      await cp(backup, damaged, { recursive: true })
      await flipBit(join(damaged, name), random)

      const { faults } = await verify(damaged, usedKeys)

      assert.deepEqual(
        faults.map((fault) => fault.name),
        [name],
      )
      assert.match(faults[0]?.problem ?? '', /^is damaged/)
    }
  }
  for (const name of ['manifest.json', 'manifest.json.sha256']) {
    const damaged = `${await temporaryFolder()}/copy`
    await cp(plain, damaged, { recursive: true })
    await flipBit(join(damaged, name), random)
    await assert.rejects(verify(damaged), /manifest\.json.*(damaged: the hash differs)/)
  }
})

test('missing, cut and additional files are found', async () => {
  const backup = await backUp(sourceOf(await createInstallation()))
  const [upload = ''] = await readdir(join(backup, 'uploads'))
  await rm(join(backup, 'uploads', upload, 'ab/one'))
  await truncate(join(backup, 'uploads', upload, 'ab/two'), 50_000)
  await writeFile(join(backup, 'notes.txt'), '')
  await writeFile(join(backup, 'parley.db.host-1-0~'), 'remains of a write that broke off')

  const { faults } = await verify(backup)

  assert.deepEqual(
    faults,
    [
      { name: 'notes.txt', problem: 'is not in the manifest' },
      { name: `uploads/${upload}/ab/one`, problem: 'is missing' },
      { name: `uploads/${upload}/ab/two`, problem: 'has 50000 bytes instead of 100003' },
    ].sort((one, other) => one.name.localeCompare(other.name)),
  )
})

test('files that were missing before are no fault of the backup', async () => {
  const folder = await createInstallation()
  const [realm = ''] = await readdir(join(folder, 'uploads'))
  await rm(join(folder, 'uploads', realm, 'ab/one'))

  const { faults, absent } = await verify(await backUp(sourceOf(folder)))

  assert.deepEqual([faults, absent], [[], [`uploads/${realm}/ab/one`]])
})

test('the age program opens the files of encrypted backups', async (context) => {
  if (
    !(await run('age', ['--version']).then(
      () => true,
      () => false,
    ))
  )
    return context.skip('age is not installed')
  const folder = await createInstallation()
  const { file, recipient } = await generateIdentity()
  const backup = await backUp(sourceOf(folder), await encryptionForRecipients([recipient]))
  const [realm = ''] = await readdir(join(folder, 'uploads'))

  const { stdout } = await run('age', ['-d', '-i', file, join(backup, `uploads/${realm}/ab/one.age`)], {
    encoding: 'buffer',
    maxBuffer: 1e7,
  })
  const database = await run('age', ['-d', '-i', file, join(backup, 'parley.db.age')], {
    encoding: 'latin1',
    maxBuffer: 1e8,
  })

  assert.deepEqual(stdout, await readFile(join(folder, `uploads/${realm}/ab/one`)))
  assert.match(database.stdout, /^SQLite format 3\0/)
  assert.deepEqual((await readdir(backup)).sort(), [
    'manifest.json',
    'manifest.json.sha256',
    'parley.db.age',
    'secret.age',
    'uploads',
  ])
})

/** Makes backups in a place, one each day unless another pause is given, and deletes old ones. */
async function startSchedule(folder: string, given: Record<string, string> = {}) {
  const place = await placeAt(await temporaryFolder())
  const clock = testClock(START)
  const settings = settingsOf({ DATA_DIR: folder, ...given })
  return {
    place,
    path: place.path ?? '',
    keep: async (more: Record<string, string> = {}, pause = DAY) => {
      const kept = await keepBackup(async () => sourceOf(folder), {
        place,
        settings: { ...settings, ...settingsOf({ ...given, ...more, DATA_DIR: folder }) },
        clock,
      })
      await clock.advance(pause)
      return kept
    },
  }
}

test('of two backups in the same second, neither replaces the other', async () => {
  const { keep, place } = await startSchedule(await createInstallation())

  const folders = [await keep({}, 0), await keep()].map(({ folder }) => folder)

  const snapshots = await findSnapshots(place)
  assert.deepEqual(
    snapshots.map(({ folder, isComplete }) => [folder, isComplete]),
    folders.map((folder) => [folder, true]),
  )
})

test('backups in a place share their files, and files of deleted backups are deleted', async () => {
  const folder = await createInstallation()
  const [realm = ''] = await readdir(join(folder, 'uploads'))
  const { keep, path, place } = await startSchedule(folder, { BACKUPS_KEPT: '2' })
  const shared = () => readdir(join(path, 'files/uploads', realm, 'ab'))

  const first = await keep()
  const second = await keep()
  await rm(join(folder, 'uploads', realm, 'ab/one'))
  await keep()
  assert.deepEqual((await shared()).sort(), ['one', 'three', 'two'])
  const last = await keep()

  assert.ok(first.writtenBytes > 300_000 + first.databaseBytes - 1)
  assert.ok(second.writtenBytes < second.databaseBytes + 1000)
  assert.deepEqual([first.isVerified, last.isVerified, last.deleted], [true, true, 1])
  assert.deepEqual((await shared()).sort(), ['three', 'two'])
  assert.deepEqual(
    (await findSnapshots(place)).map(({ isComplete }) => isComplete),
    [true, true],
  )
  assert.deepEqual((await readdir(path)).sort(), ['files', 'snapshots'])
})

test('a damaged shared file is reported, keeps the older backups, and is stored again by the next backup', async () => {
  const folder = await createInstallation()
  const [realm = ''] = await readdir(join(folder, 'uploads'))
  const { keep, path, place } = await startSchedule(folder, { BACKUPS_KEPT: '1' })
  await keep()
  await flipBit(join(path, 'files/uploads', realm, 'ab/two'), seeded(1))

  const damaged = await keep()
  assert.deepEqual(
    damaged.verification?.faults.map(({ name }) => name),
    [`files/uploads/${realm}/ab/two`],
  )
  assert.equal((await findSnapshots(place)).length, 2)
  const repaired = await keep()

  assert.deepEqual([repaired.isVerified, repaired.deleted], [true, 2])
})

test('of damaged backups that follow each other, only the newest is kept', async () => {
  const folder = await createInstallation()
  const [realm = ''] = await readdir(join(folder, 'uploads'))
  const { keep, path, place } = await startSchedule(folder, { BACKUPS_KEPT: '2' })
  const { folder: intact } = await keep()
  await flipBit(join(path, 'files/uploads', realm, 'ab/two'), seeded(1))
  await keep()
  await flipBit(join(path, 'files/uploads', realm, 'ab/three'), seeded(1))

  const { folder: newest, deleted } = await keep()

  assert.equal(deleted, 1)
  assert.deepEqual(
    (await findSnapshots(place)).map((snapshot) => snapshot.folder),
    [intact, newest],
  )
})

test('an interrupted backup is replaced, and one with an unreadable list keeps all files', async () => {
  const folder = await createInstallation()
  const [realm = ''] = await readdir(join(folder, 'uploads'))
  const { keep, path, place } = await startSchedule(folder, { BACKUPS_KEPT: '2' })
  await mkdir(join(path, 'snapshots/2030-01-01T00-00-00Z'), { recursive: true })
  await writeFile(join(path, 'snapshots/2030-01-01T00-00-00Z/parley.db'), 'half of a database')
  const { folder: first } = await keep()
  const { folder: second } = await keep()
  assert.deepEqual(
    (await findSnapshots(place)).map((snapshot) => snapshot.folder),
    [first, second],
  )
  await flipBit(join(path, second, 'manifest.json'), seeded(2))
  await rm(join(folder, 'uploads', realm, 'ab/one'))

  const third = await keep()

  assert.match(third.warnings.join(), /^Files that no backup needs are kept until snapshots\/.* is deleted: .*damaged/)
  assert.ok(existsSync(join(path, 'files/uploads', realm, 'ab/one')))
})

test('a first encrypted backup that fails or is killed leaves no files that the next one would not use', async () => {
  const { keep, path, place } = await startSchedule(await createInstallation())
  const BACKUP_PASSPHRASE = 'a passphrase of the team'
  const killed = 'files-0123abcd/uploads/2/ab/x.age'
  await place.store.save('snapshots/2030-01-01T00-00-00Z/unfinished', Buffer.from('files-0123abcd/\n'))
  await place.store.save(killed, Buffer.from('of a process that was killed'))
  const { save } = place.store
  place.store.save = (name, bytes) =>
    name.endsWith('manifest.json') ? Promise.reject(new Error('the store is away')) : save(name, bytes)

  await assert.rejects(keep({ BACKUP_PASSPHRASE }), /the store is away/)
  const left = (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  place.store.save = save
  const kept = await keep({ BACKUP_PASSPHRASE })

  assert.deepEqual(left, [])
  assert.equal(kept.isVerified, true)
})

test('the place of another installation is refused', async () => {
  const [folder, other] = [await createInstallation(), await createInstallation()]
  await writeFile(join(folder, 'folder-id'), 'one\n')
  await writeFile(join(other, 'folder-id'), 'another\n')
  const { keep, place } = await startSchedule(folder)
  await keep()

  const refused = keepBackup(async () => sourceOf(other), {
    place,
    settings: settingsOf({ DATA_DIR: other }),
    clock: testClock(START + DAY),
  })

  await assert.rejects(refused, / has backups of another installation\. Set BACKUP_DIR to another/)
})

test('a new passphrase or key begins new files, and verification needs a key only with a passphrase', async () => {
  const folder = await createInstallation()
  const { file, recipient } = await generateIdentity()
  const { keep, path, place } = await startSchedule(folder, { BACKUPS_KEPT: '1' })

  const first = await keep({ BACKUP_PASSPHRASE: 'a passphrase of the team' })
  const second = await keep({ BACKUP_PASSPHRASE: 'a passphrase of the team' })
  const changed = await keep({ BACKUP_PASSPHRASE: 'another one of the team' })
  const forRecipient = await keep({ BACKUP_AGE_RECIPIENTS: recipient })

  assert.deepEqual(first.manifest.recipients, second.manifest.recipients)
  assert.notDeepEqual(changed.manifest.recipients, second.manifest.recipients)
  assert.deepEqual([second.verification?.isRestored, forRecipient.verification?.isRestored], [true, false])
  assert.deepEqual([second.isVerified, forRecipient.isVerified], [true, true])
  assert.equal((await readdir(path)).filter((name) => name.startsWith('files-')).length, 3)
  const files = async (name: string) =>
    (await readdir(join(path, name), { recursive: true })).filter((name) => name.endsWith('.age'))
  assert.deepEqual(await files(first.manifest.files), [])
  assert.equal((await files(forRecipient.manifest.files)).length, 3)
  const [last] = await findSnapshots(place)
  assert.ok(last)
  const backup = { ...last, manifest: forRecipient.manifest }
  const decrypt = await openBackup(backup, { ...noKeys, identityFiles: [file] })
  const { isRestored } = await verifyBackup(backup, { decrypt, work: await temporaryFolder() })
  assert.equal(isRestored, true)
})

test('weekly verification skips the days between', async () => {
  const { keep } = await startSchedule(await createInstallation(), { BACKUP_VERIFY: 'weekly' })
  const verified: boolean[] = []

  for (let day = 0; day < 9; day++) verified.push((await keep()).isVerified)

  assert.deepEqual(verified, [true, false, false, false, false, false, false, true, false])
})

test('a backup without enough space on the disk is refused before anything is written', async () => {
  const folder = await createInstallation()
  const backups = await temporaryFolder()
  const source = { ...sourceOf(folder), databaseBytes: 1e18 }
  const to = { place: await placeAt(backups), folder: 'snapshots/2030-01-05T10-00-00Z/' }

  const refused = makeBackup(source, { to, work: await temporaryFolder(), encryption: null, clock: testClock(START) })

  await assert.rejects(refused, /^OperatorError: |free space, and the backup needs .* MB\. Free some/)
  assert.deepEqual(await readdir(backups), [])
})
