import { Role } from '#rules/role.ts'

/** The sample's people in addition to the people of every test organization. */
export const newcomers = {
  dana: Role.member,
  emil: Role.member,
  farah: Role.member,
  goran: Role.member,
  hanna: Role.member,
} as const

/** The full names of the people in the sample. */
export const personNames = {
  owner: 'Olga Lindqvist',
  admin: 'Adam Reyes',
  moderator: 'Mona Haddad',
  alice: 'Alice Bergmann',
  bob: 'Bob Okafor',
  carol: 'Carol Nakamura',
  guest: 'Guido Rossi',
  deactivated: 'Dario Quint',
  dana: 'Dana Whitfield',
  emil: 'Emil Novak',
  farah: 'Farah Aziz',
  goran: 'Goran Petrovic',
  hanna: 'Hanna Virtanen',
} as const

export type SampleSender = keyof typeof personNames | 'alicebot' | 'webhookbot'

/** A message and the reactions to it. */
export type SampleMessage = readonly [
  speaker: SampleSender,
  text: string,
  reactions?: Readonly<Record<string, readonly SampleSender[]>>,
]

/** A conversation that starts `hoursAgo` hours before the organization is created. */
export type SampleConversation = { readonly hoursAgo: number; readonly lines: readonly SampleMessage[] } & (
  | { readonly channel: string; readonly topic: string }
  | { readonly people: readonly SampleSender[] }
)

type SampleChannel = {
  readonly description: string
  readonly subscribers: readonly SampleSender[]
  readonly isPrivate?: true
}

const managers = ['owner', 'admin', 'moderator', 'alice'] as const
const developers = ['alice', 'bob', 'dana', 'emil', 'goran'] as const
const everyone = [...managers, 'bob', 'carol', 'dana', 'emil', 'farah', 'goran', 'hanna'] as const

/** The sample's channels in addition to the channels of every test organization. */
export const sampleChannels: Readonly<Record<string, SampleChannel>> = {
  announcements: { description: 'What everyone should **know**', subscribers: everyone },
  engineering: {
    description: 'How the app is built',
    subscribers: [...developers, 'admin', 'moderator', 'webhookbot'],
  },
  builds: { description: 'Results of the build server', subscribers: [...developers, 'webhookbot'] },
  design: { description: 'How the app looks', subscribers: ['alice', 'carol', 'farah', 'hanna', 'moderator'] },
  help: { description: 'Questions from people who use the app', subscribers: [...everyone, 'guest', 'alicebot'] },
  kitchen: { description: 'Lunch, coffee, and the plants', subscribers: everyone },
  hiring: { description: 'Who joins the team', subscribers: managers, isPrivate: true },
}
