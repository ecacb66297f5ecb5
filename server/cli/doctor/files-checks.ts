import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withoutKeys } from '#lib/s3-url.ts'
import { randomLetters } from '#lib/secrets.ts'
import { filesLocation, openFiles } from '#storage/open-files.ts'
import { type CheckGroup, type DoctorContext, type Finding, ok, problem, reasonOf, warning } from './check.ts'

// The store of uploaded files, if it is not the data folder.

/** Milliseconds for a small file above which uploads feel slow. */
const SLOW = 1000

/** Writes, reads and deletes a file of its own in the store. */
async function checkStore({ settings, random }: DoctorContext): Promise<Finding[]> {
  if (settings.FILES_URL === '') return [ok('store', `the files are in ${filesLocation(settings)}`)]
  // The command runs as another account than the server, whose folder for unfinished files it must not touch.
  const folder = await mkdtemp(join(tmpdir(), 'parley-doctor-'))
  const files = await openFiles({ ...settings, DATA_DIR: folder })
  const name = `doctor/probe-${randomLetters(random, 12)}`
  const bytes = Buffer.from(`parley doctor ${name}`)
  const findings: Finding[] = []
  const attempt = async (step: string, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      findings.push(
        problem(step, reasonOf(error), 'docs/files.md lists the settings, and the permissions that the key needs.'),
      )
      return false
    }
  }
  try {
    if (!(await attempt('store', async () => files.check?.()))) return findings
    findings.push(ok('store', `${withoutKeys(settings.FILES_URL)} can be listed`))
    const startedAt = performance.now()
    if (!(await attempt('store: write', () => files.save(name, bytes)))) return findings
    const took = Math.round(performance.now() - startedAt)
    const isRead = await attempt('store: read', async () => {
      if (!(await files.read(name))?.equals(bytes)) throw new Error('The store returns another file than was written.')
    })
    const isDeleted = await attempt('store: delete', () => files.delete(name))
    if (isRead && isDeleted) findings.push(ok('store: files', 'can be written, read and deleted'))
    findings.push(
      took > SLOW
        ? warning('store: latency', `${took} ms to write a small file`, 'Use a store near the server.')
        : ok('store: latency', `${took} ms to write a small file`),
    )
    return findings
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const filesChecks: CheckGroup = {
  title: 'Files',
  checks: [{ name: 'store', seconds: 20, run: checkStore }],
}
