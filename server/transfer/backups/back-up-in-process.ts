import { runInProcess } from './run-in-process.ts'

/** Runs the backup command in a separate process, so that reading the whole copy does not delay requests. */
export const backUpInProcess = (script: string, path: string, signal: AbortSignal): Promise<void> =>
  runInProcess(script, ['backup', path, '--json'], signal)
