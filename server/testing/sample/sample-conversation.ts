import type { personNames } from './people.ts'

/** Who of the sample organization speaks. */
export type SampleSender = keyof typeof personNames | 'alicebot' | 'webhookbot'

/** What somebody says, and who reacts with what. */
export type SampleMessage = readonly [
  speaker: SampleSender,
  text: string,
  reactions?: Readonly<Record<string, readonly SampleSender[]>>,
]

/** A conversation, by when it began: hours before the organization is made. */
export type SampleConversation = { readonly hoursAgo: number; readonly lines: readonly SampleMessage[] } & (
  | { readonly channel: string; readonly topic: string }
  | { readonly people: readonly SampleSender[] }
)
