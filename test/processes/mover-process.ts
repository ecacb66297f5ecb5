// A process that moves an organization between the databases whose URLs are its arguments, and ends like a crash when
// its progress reaches the step and the number of reports of the next arguments.

import { systemClock } from '#lib/clock.ts'
import { moveOrganization } from '#transfer/move-organization.ts'
import { openTestStorage } from '../storage.ts'

const [fromUrl, toUrl, realmId, lastStep, reports] = process.argv.slice(2) as [string, string, string, string, string]
const [from, to] = [
  await openTestStorage({ url: fromUrl, serve: false, isMaintenance: true }),
  await openTestStorage({ url: toUrl, serve: false, isMaintenance: true }),
]
let left = Number(reports)
const die = () => process.kill(process.pid, 'SIGKILL')

await moveOrganization({
  ...{ from, to, realmId: Number(realmId), clock: systemClock(), signal: new AbortController().signal },
  onProgress({ step }) {
    if (step !== lastStep) return
    left -= 1
    if (left === 0) die()
  },
  pause: async () => {},
  switchOver: async () => void (lastStep === 'switch' && die()),
  resume: async () => {},
})
