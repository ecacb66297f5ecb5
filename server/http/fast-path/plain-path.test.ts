import { turnOffFastPath } from '../../../test/http/raw-client.ts'

// The tests of requests and connections run here a second time, without the fast path.
turnOffFastPath()
await import('../wire/node-server.test.ts')
await import('../wire/server.test.ts')
await import('../wire/admission.test.ts')
await import('../wire/closing.test.ts')
await import('../wire/busy-loop.test.ts')
await import('../wire/waiting-requests.test.ts')
await import('../wire/waiting-clients.test.ts')
await import('../body/read-body.test.ts')
await import('../body/slow-bodies.test.ts')
