import type { personNames } from './people.ts'

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
