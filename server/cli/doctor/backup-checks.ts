import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { commandLine } from '#lib/process.ts'
import { isS3Url, withoutKeys } from '#lib/s3-url.ts'
import { findMails } from '#mail/queries.ts'
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

// Backups, and emails that wait or failed.

const DAY = 86_400

/** Seconds after which the newest backup is too old, and after which another one should be verified. */
const [TOO_OLD, UNVERIFIED] = [2 * DAY, 31 * DAY]

async function checkBackups({ settings, database, clock }: DoctorContext): Promise<Finding[]> {
  if (database.value === null || database.value.version === 0)
    return [skipped('backups', 'the database cannot be read')]
  const { isScheduled, lastBackupAt, lastVerifiedAt } = await findBackupState(database.value.db)
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
  if (age !== null)
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

/** The seconds for which an email may wait for a relay. */
const LONG = 3600

async function checkOutbox({ settings, database, clock }: DoctorContext): Promise<Finding[]> {
  if (database.value === null || !database.value.isUsable) return []
  const { db } = database.value
  const [deferred, failed] = await Promise.all([
    findMails(db, { state: 'deferred' }),
    findMails(db, { state: 'failed' }),
  ])
  const stuck = deferred.filter(({ createdAt }) => clock.now() - createdAt > LONG)
  const recent = failed.filter(({ createdAt }) => clock.now() - createdAt < 7 * DAY)
  const many = (count: number) => (count >= 100 ? '100 or more emails' : `${count} email${count === 1 ? '' : 's'}`)
  const findings: Finding[] = []
  if (stuck.length > 0)
    findings.push(
      problem(
        'outbox',
        `${many(stuck.length)} could not be sent for more than an hour; the relay says: ${stuck[0]?.reply}`,
        `${commandLine('mail test you@example.com')} says what is wrong.`,
      ),
    )
  if (recent.length > 0)
    findings.push(
      warning(
        'failed emails',
        `${many(recent.length)} failed in the last seven days`,
        `${commandLine('mail list --state failed')} lists them, and \`mail retry ID\` sends one again.`,
      ),
    )
  if (findings.length === 0 && settings.SMTP_URL !== '') findings.push(ok('outbox', 'no email is stuck'))
  return findings
}

export const backupChecks: CheckGroup = { title: 'Backups', checks: [{ name: 'backups', run: checkBackups }] }

export const outboxCheck = { name: 'outbox', run: checkOutbox }
