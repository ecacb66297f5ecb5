import { runInProcess } from '../backups/run-in-process.ts'
import type { MakeExport } from './export-job.ts'

/** Returns a function that runs the export command in a separate process, so that reading everything delays no requests. */
export function exportInProcess(script: string): MakeExport {
  return (path, { realm, scope }, signal) =>
    runInProcess(script, ['org', 'export', path, '--org', realm.subdomain, '--scope', scope, '--json'], signal)
}
