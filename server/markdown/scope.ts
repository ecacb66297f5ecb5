import type { Linkifier } from './linkifier.ts'

export type MentionedUser = { readonly id: number; readonly fullName: string }
export type NamedThing = { readonly id: number; readonly name: string }

/**
 * All that a message may refer to, loaded beforehand by whoever renders (`mentionCandidates` says what is named), so that
 * rendering touches no database. Names reach the lookups as they were typed; matching them whatever their case is the
 * lookups' affair, as is hiding what the sender may not see.
 */
export type RenderScope = {
  /** The organization's address without a slash at the end: links that begin with it become relative. */
  readonly realmUrl: string
  findUserByName(fullName: string): MentionedUser | null
  findUserById(id: number): MentionedUser | null
  findGroupByName(name: string): NamedThing | null
  findChannelByName(name: string): NamedThing | null
  /** The address of an image, for emoji of the organization and of the service. */
  findCustomEmoji(name: string): { readonly url: string } | null
  /** By falling priority. */
  readonly linkifiers: readonly Linkifier[]
  /** Whether `:)` becomes an emoji, a setting of the sender. */
  readonly translateEmoticons: boolean
}

export type Rendering = {
  readonly html: string
  /** Who is mentioned aloud; silent mentions and those inside quotes tell nobody. Each id once. */
  readonly mentionedUserIds: readonly number[]
  readonly mentionedGroupIds: readonly number[]
  /** `@**all**`, `@**everyone**`, `@**channel**` or `@**stream**`. */
  readonly mentionsChannel: boolean
  /** `@**topic**`. */
  readonly mentionsTopic: boolean
}

/** A scope in which nothing is known: every mention, channel link and custom emoji stays text. */
export const emptyScope: RenderScope = {
  realmUrl: '',
  findUserByName: () => null,
  findUserById: () => null,
  findGroupByName: () => null,
  findChannelByName: () => null,
  findCustomEmoji: () => null,
  linkifiers: [],
  translateEmoticons: false,
}
