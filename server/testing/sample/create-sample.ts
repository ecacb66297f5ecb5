import type { Services } from '../../http/endpoint.ts'
import { changeRealmSettings } from '../../organizations/change-realm-settings.ts'
import { reportPresence } from '../../presence/report-presence.ts'
import { createWorld, type Preset, type SharedPassword, type TestWorld } from '../test-world.ts'
import { sampleChannels } from './channels.ts'
import { fillSample } from './fill-sample.ts'
import { newcomers, personNames } from './people.ts'

/** Who was there last, and how many minutes ago. */
const presences = {
  hanna: ['active', 0],
  bob: ['active', 1],
  carol: ['idle', 1],
  farah: ['active', 30],
  owner: ['active', 200],
  goran: ['active', 2000],
} as const

const preset: Preset = { names: personNames, people: newcomers, channels: sampleChannels }

/**
 * An organization that somebody could be working in, with the people and the channels that tests count on among its own.
 * Two transactions, because what one has written it cannot read from caches: the second would take three times as long.
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
  // The realm of the world has no such settings, so they keep nobody from saying what they say.
  await transaction((tx) => fillSample(tx, world))
  await reportPresences(services, world)
  return world.json
}

/** Some are there, some were. */
async function reportPresences(services: Services, { realm, users }: TestWorld): Promise<void> {
  const now = Math.floor(services.clock.now())
  for (const [name, [status, minutesAgo]] of Object.entries(presences)) {
    const user = users.get(name)
    if (user !== undefined) await reportPresence(services, { ...user, realm }, status, now - minutesAgo * 60)
  }
}
