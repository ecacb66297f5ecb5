import type { Services } from '../../http/endpoint.ts'
import { changeRealmSettings } from '../../organizations/change-realm-settings.ts'
import { reportPresence } from '../../presence/report-presence.ts'
import { createWorld, type Preset, type SharedPassword, type TestWorld } from '../test-world.ts'
import { sampleChannels } from './channels.ts'
import { fillSample } from './fill-sample.ts'
import { newcomers, personNames } from './people.ts'

/** The last presence of each person, in minutes before now. */
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
 * Creates an organization that looks as if it were in use, with the people and the channels that tests rely on among
 * its own. It takes two transactions, because a transaction cannot read its own writes from caches: the second would
 * take three times as long.
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

/** Lets some people be online, and some offline. */
async function reportPresences(services: Services, { realm, users }: TestWorld): Promise<void> {
  const now = Math.floor(services.clock.now())
  for (const [name, [status, minutesAgo]] of Object.entries(presences)) {
    const user = users.get(name)
    if (user !== undefined) await reportPresence(services, { ...user, realm }, status, now - minutesAgo * 60)
  }
}
