import { turnOffFastPath } from '../../../test/http/raw-client.ts'

// The tests of requests and connections run here a second time, without the fast path.
turnOffFastPath()
await import('./node-server.test.ts')
await import('./server.test.ts')
await import('./admission.test.ts')
await import('./closing.test.ts')
await import('./busy-loop.test.ts')
await import('./waiting-requests.test.ts')
await import('./waiting-clients.test.ts')
await import('../body/read-body.test.ts')
await import('../body/slow-bodies.test.ts')
