import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { commandLine } from '#lib/process.ts'
import { isS3Url, withoutKeys } from '#lib/s3-url.ts'
import { findBackupState } from '#transfer/backups.ts'
import {
  type CheckGroup,
  type DoctorContext,
  type Finding,
  formatSpan,
  ok,
  problem,
  skipped,
  warning,
} from './check.ts'

// The backups that the server makes.

const DAY = 86_400

/** Seconds after which the newest backup is too old, and after which another one should be verified. */
const [TOO_OLD, UNVERIFIED] = [2 * DAY, 31 * DAY]

async function checkBackups({ settings, database, clock }: DoctorContext): Promise<Finding[]> {
  if (database.value === null || database.value.version === 0)
    return [skipped('backups', 'the database cannot be read')]
  const { isScheduled, lastBackupAt, lastVerifiedAt, damagedAt } = await findBackupState(database.value.db)
  const findings: Finding[] = []
  if (!isScheduled)
    findings.push(
      warning(
        'schedule',
        'the server makes no backups',
        'Set BACKUP_DIR to a folder on another disk, unless another program makes backups.',
      ),
    )
  else findings.push(...(await checkBackupFolder(settings)))
  const age = lastBackupAt === null ? null : clock.now() - lastBackupAt
  if (age === null)
    findings.push(
      (isScheduled ? warning : skipped)('age', 'there is no backup yet', `Make one: ${commandLine('backup FOLDER')}`),
    )
  else if (age > TOO_OLD)
    findings.push(
      problem(
        'age',
        `the newest backup is ${formatSpan(age)} old`,
        `Look for errors of backups in the log, and make one: ${commandLine('backup FOLDER')}`,
      ),
    )
  else findings.push(ok('age', `the newest backup is ${formatSpan(Math.max(age, 0))} old`))
  if (damagedAt !== null)
    findings.push(
      problem(
        'verification',
        `the newest backup, of ${formatSpan(Math.max(clock.now() - damagedAt, 0))} ago, is damaged`,
        `Check the disk or the store of the backups, and make another: ${commandLine(isScheduled ? 'backup' : 'backup FOLDER')}`,
      ),
    )
  else if (age !== null)
    findings.push(
      lastVerifiedAt === null || clock.now() - lastVerifiedAt > UNVERIFIED
        ? warning(
            'verification',
            lastVerifiedAt === null
              ? 'no backup was ever restored to see whether it works'
              : `the newest verified backup is ${formatSpan(clock.now() - lastVerifiedAt)} old`,
            `Verify the newest one: ${commandLine('backup verify FOLDER')}`,
          )
        : ok('verification', `a backup was verified ${formatSpan(clock.now() - lastVerifiedAt)} ago`),
    )
  return findings
}

async function checkBackupFolder({ BACKUP_DIR, DATA_DIR }: DoctorContext['settings']): Promise<Finding[]> {
  // The next backup says whether the store can be used.
  if (isS3Url(BACKUP_DIR)) return [ok('schedule', `in ${withoutKeys(BACKUP_DIR)}`)]
  const folder = resolve(BACKUP_DIR)
  const [backups, data] = await Promise.all([stat(folder).catch(() => null), stat(DATA_DIR).catch(() => null)])
  if (backups === null)
    return [problem('schedule', `BACKUP_DIR, ${folder}, does not exist`, `mkdir ${folder}, or mount its disk.`)]
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!isWritable)
    return [
      problem(
        'schedule',
        `BACKUP_DIR, ${folder}, cannot be written`,
        'Make it writable for the account of the server with chown.',
      ),
    ]
  return backups.dev === data?.dev
    ? [
        warning(
          'schedule',
          `BACKUP_DIR, ${folder}, is on the same disk as the data: both can be lost together`,
          'Use a folder on another disk or machine.',
        ),
      ]
    : [ok('schedule', `each day, to ${folder}`)]
}

export const backupChecks: CheckGroup = { title: 'Backups', checks: [{ name: 'backups', run: checkBackups }] }
