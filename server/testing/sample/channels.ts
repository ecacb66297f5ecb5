import type { SampleSender } from './sample-conversation.ts'

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
