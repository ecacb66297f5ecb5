import type { Linkifier } from './links/linkifier.ts'
import type { Markup } from './markup.ts'
import type { LinkPreview } from './previews/link-previews.ts'
import type { PreviewedImage } from './previews/media-previews.ts'

export type NamedItem = { readonly id: number; readonly name: string }
export type MentionedUser = Mentionable & { readonly id: number; readonly fullName: string }
export type MentionedGroup = Mentionable & NamedItem

type Mentionable = {
  /**
   * True if all mentions of this user or group are silent, because deactivated accounts and groups are not notified.
   */
  readonly isSilent?: boolean
}

/**
 * Everything that a message may refer to. The caller loads it before rendering (`mentionCandidates` returns the names),
 * so that rendering does not access the database. The lookups get names as typed; they must ignore case and hide what
 * the sender may not see.
 */
export type RenderScope = {
  /**
   * The present and former addresses of the organization, without a trailing slash. Links that start with one of them
   * become relative.
   */
  readonly realmUrls: readonly string[]
  findUserByName(fullName: string): MentionedUser | null
  findUserById(id: number): MentionedUser | null
  findGroupByName(name: string): MentionedGroup | null
  findChannelByName(name: string): NamedItem | null
  /**
   * Returns the id of the first message of a topic, among the messages that the sender may read. Links to the topic
   * contain the id, so that they follow the topic when it is moved.
   */
  findFirstIn(channelId: number, topic: string): number | null
  /** Returns the address of the image for custom emoji of the organization and of the service. */
  findCustomEmoji(name: string): { readonly url: string } | null
  /** The linkifiers in descending order of priority. */
  readonly linkifiers: readonly Linkifier[]
  /** True if emoticons such as `:)` become emoji. This is a setting of the sender. */
  readonly translateEmoticons: boolean
  /** The language of code blocks that name no language; '' for no language. This is a setting of the organization. */
  readonly codeLanguage: string
  /** True if images and videos are displayed below the links to them. This is a setting of the organization. */
  readonly previewsMedia: boolean
  /** The uploaded images that the text may link to. The key is the part of the address after `/user_uploads/`. */
  readonly images: ReadonlyMap<string, PreviewedImage>
  /** The previews that have been fetched, by the address of the website; null if the message shows no such previews. */
  readonly linkPreviews: ReadonlyMap<string, LinkPreview> | null
  /** The renderers of formulas and code. If null, the message shows formulas and code as typed. */
  readonly writers: Renderers | null
}

/** The renderers depend on large libraries. Only the worker thread loads these libraries. */
export type Renderers = {
  /** Returns null for an invalid formula. */
  formulaToHtml(source: string, isDisplay: boolean): Markup | null
  /** Returns the content of the `code` element; null for an unknown language. */
  highlight(source: string, language: string): Markup | null
}

export type Rendering = {
  readonly html: string
  /**
   * The users with a mention that is not silent, each once. Silent mentions and mentions inside quotes notify no one.
   */
  readonly mentionedUserIds: readonly number[]
  readonly mentionedGroupIds: readonly number[]
  /** True if the message contains `@**all**`, `@**everyone**`, `@**channel**` or `@**stream**`. */
  readonly mentionsChannel: boolean
  /** True if the message contains `@**topic**`. */
  readonly mentionsTopic: boolean
  /** The linked addresses whose previews are unknown. */
  readonly previewableUrls: readonly string[]
}

/** A scope without any names: every mention, channel link and custom emoji stays text. */
export const emptyScope: RenderScope = {
  realmUrls: [],
  findUserByName: () => null,
  findUserById: () => null,
  findGroupByName: () => null,
  findChannelByName: () => null,
  findFirstIn: () => null,
  findCustomEmoji: () => null,
  linkifiers: [],
  translateEmoticons: false,
  codeLanguage: '',
  previewsMedia: true,
  images: new Map(),
  linkPreviews: null,
  writers: null,
}
