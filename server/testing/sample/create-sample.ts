import type { Services } from '#http/endpoint.ts'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import { reportPresence } from '#presence/report-presence.ts'
import { createWorld, type Preset, type SharedPassword, type TestWorld } from '../test-world.ts'
import { sampleChannels } from './channels.ts'
import { fillSample } from './fill-sample.ts'
import { newcomers, personNames } from './people.ts'

/** The presence reports to send, in this order. */
const reports = [
  { name: 'goran', status: 'active', minutesAgo: 2000 },
  { name: 'owner', status: 'active', minutesAgo: 200 },
  { name: 'farah', status: 'active', minutesAgo: 30 },
  { name: 'carol', status: 'active', minutesAgo: 25 },
  { name: 'carol', status: 'idle', minutesAgo: 1 },
  { name: 'bob', status: 'active', minutesAgo: 1 },
  { name: 'hanna', status: 'active', minutesAgo: 0 },
] as const

const preset: Preset = { names: personNames, people: newcomers, channels: sampleChannels }

/**
 * Creates an organization that looks as if it were in use. It includes the people and channels of every test
 * organization. The messages have their own transaction, because a transaction cannot read its own writes from caches:
 * in the first transaction, they would take three times as long.
 */
export async function createSample(
  services: Services,
  given: { subdomain?: string; name?: string },
  settings: Readonly<Record<string, unknown>>,
  password: SharedPassword,
): Promise<object> {
  const { transaction } = services
  const world = await transaction(async (tx) => {
    const made = await createWorld(tx, given, password, preset)
    await changeRealmSettings(tx, made.realm, settings)
    return made
  })
  // The realm of the test world has default settings, which do not restrict messages.
  await transaction((tx) => fillSample(tx, world))
  await reportPresences(services, world)
  return world.json
}

/** Makes some people online and others offline. */
async function reportPresences(services: Services, { realm, users }: TestWorld): Promise<void> {
  const now = Math.floor(services.clock.now())
  for (const { name, status, minutesAgo } of reports) {
    const user = users.get(name)
    if (user !== undefined) await reportPresence(services, { ...user, realm }, status, now - minutesAgo * 60)
  }
}
