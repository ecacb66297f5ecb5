import type { personNames } from './people.ts'

/** Who of the sample organization speaks. */
export type Speaker = keyof typeof personNames | 'alicebot' | 'webhookbot'

/** What somebody says, and who reacts with what. */
export type Line = readonly [speaker: Speaker, text: string, reactions?: Readonly<Record<string, readonly Speaker[]>>]

/** A conversation, by when it began: hours before the organization is made. */
export type Talk = { readonly hoursAgo: number; readonly lines: readonly Line[] } & (
  | { readonly channel: string; readonly topic: string }
  | { readonly people: readonly Speaker[] }
)
