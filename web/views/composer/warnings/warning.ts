import type { Organization } from '../../../store/organization.ts'

/** A warning before a message is sent, with a way to fix its cause. */
export type Warning = {
  readonly key: string
  readonly kind: 'info' | 'warn'
  readonly text: string
  readonly fix?: { readonly label: string } & (
    | { readonly action: 'subscribe'; readonly userId: number }
    | { readonly action: 'unresolve' }
    | { readonly action: 'follow'; readonly channelId: number; readonly topic: string }
  )
}

/** Facts about the recipients; undefined until they are loaded. */
export type RecipientFacts = {
  readonly organization: Organization
  /** The ids of the channel's subscribers; undefined if they are not known. */
  readonly subscribers: ReadonlySet<number> | undefined
  /** The names of the channel's topics; undefined if they are not known. */
  readonly topics: readonly string[] | undefined
  readonly mayAddPeople: boolean
  /** The topic to which the messages of the topic were moved that it had when the user began to write. */
  readonly movedTo?: { readonly channelId: number; readonly channel: string; readonly topic: string } | undefined
}
