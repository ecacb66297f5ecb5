import { type Settings, settingDeclarations } from '#config.ts'
import { badTestBody, type TestCall, type TestContext } from './test-call.ts'

/** The settings that a test may change while the server is running. All other settings are fixed when it starts. */
const changeableSettings = [
  'RATE_LIMITING',
  'RATE_LIMITING_RULES',
  'ALLOW_WEAK_PASSWORDS',
  'OPEN_REALM_CREATION',
  'PROOF_OF_WORK',
  'DEMO_ORGANIZATIONS',
  'INVITATION_LINK_VALIDITY_MINUTES',
  'INVITES_NEW_REALM_DAYS',
  'INVITES_NEW_REALM_DAILY_MAX',
  'INVITES_MEMBER_DAILY_MAX',
  'INVITES_ADMINISTRATOR_DAILY_MAX',
  'INVITES_ADDRESS_PAUSE_MINUTES',
  'CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE',
  'OUTGOING_WEBHOOK_TIMEOUT_SECONDS',
  'OUTGOING_WEBHOOK_PRIVATE_HOSTS',
  'EXTERNAL_CONTENT_PRIVATE_HOSTS',
] as const satisfies readonly (keyof Settings)[]

const reading = (settings: Readonly<Settings>) =>
  Object.fromEntries(changeableSettings.map((name) => [name, settings[name]]))

/** Parses new values in the same way as environment variables. Refuses all of them if one is invalid. */
function requireSettings(body: unknown): Partial<Settings> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badTestBody({ complaint: 'The body: must be an object' })
  const changes = Object.entries(body).map(([name, value]) => {
    if (!(changeableSettings as readonly string[]).includes(name))
      throw badTestBody({
        complaint: `${name}: no setting that can be changed; there are ${changeableSettings.join(', ')}`,
      })
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const parsed = settingDeclarations[name as (typeof changeableSettings)[number]].read.safeParse(text)
    if (!parsed.success) throw badTestBody({ complaint: `${name}: ${parsed.error.issues[0]?.message}` })
    return [name, parsed.data]
  })
  return Object.fromEntries(changes)
}

/** Restores the initial settings of the server. */
export function resetSettings({ app, firstSettings }: TestContext): void {
  Object.assign(app.services.settings, reading(firstSettings))
}

export const settingsCalls: TestCall[] = [
  { route: 'GET /testing/settings', answer: async ({ app }) => reading(app.services.settings) },
  {
    route: 'PATCH /testing/settings',
    async answer({ app }, { body }) {
      Object.assign(app.services.settings, requireSettings(body))
      return reading(app.services.settings)
    },
  },
]
