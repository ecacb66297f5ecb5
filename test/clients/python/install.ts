/**
 * Installs the Python clients, so that they are there when the tests need them: `node test/clients/python/install.ts`.
 */
import { openPythonClients } from './environment.ts'

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
await openPythonClients(stop.signal)
