// The thread that copies the write-ahead log into the database. It waits for the disk, so that the event loop does not.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

export type CheckpointRequest = 'run' | 'close'

/** `errcode` is the SQLite error code; undefined if the checkpoint succeeded or copied as much as possible. */
export type CheckpointAnswer = { message?: string; errcode?: number | undefined }

if (parentPort === null) throw new Error('This script runs as a worker thread only')
const port = parentPort
const database = new DatabaseSync(String(workerData), { timeout: 0 })
database.exec('pragma synchronous = full; pragma wal_autocheckpoint = 0')

function run(): CheckpointAnswer {
  try {
    database.exec('pragma wal_checkpoint(passive)')
    return {}
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number }
    return { message, errcode }
  }
}

port.on('message', (request: CheckpointRequest) => {
  if (request === 'run') return port.postMessage(run())
  database.close()
  port.close()
})
