import type { Linkifier } from './links/linkifier.ts'
import type { Markup } from './markup.ts'
import type { PreviewedImage } from './previews.ts'

export type NamedItem = { readonly id: number; readonly name: string }
export type MentionedUser = Mentionable & { readonly id: number; readonly fullName: string }
export type MentionedGroup = Mentionable & NamedItem

type Mentionable = {
  /** Whether every mention is silent, however it is written: accounts and groups that have ended are told nothing. */
  readonly isSilent?: boolean
}

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
  findGroupByName(name: string): MentionedGroup | null
  findChannelByName(name: string): NamedItem | null
  /** The first message of a topic that the sender may read: links name it, and so follow the topic where it is moved. */
  findFirstIn(channelId: number, topic: string): number | null
  /** The address of an image, for emoji of the organization and of the service. */
  findCustomEmoji(name: string): { readonly url: string } | null
  /** By falling priority. */
  readonly linkifiers: readonly Linkifier[]
  /** Whether `:)` becomes an emoji, a setting of the sender. */
  readonly translateEmoticons: boolean
  /** What code is in that names no language, a setting of the organization; '' for nothing in particular. */
  readonly codeLanguage: string
  /** Whether images and videos are shown below the links to them, a setting of the organization. */
  readonly previewsMedia: boolean
  /** The uploaded pictures that the text may link to, by what follows `/user_uploads/` in their addresses. */
  readonly images: ReadonlyMap<string, PreviewedImage>
  /** What writes formulas and colours code; null where it is not loaded, and their sources are shown. */
  readonly writers: Renderers | null
}

/** The libraries behind them are large: they are loaded by the thread that renders apart alone. */
export type Renderers = {
  /** Null when the source is no formula. */
  formulaToHtml(source: string, isDisplay: boolean): Markup | null
  /** What stands inside `code`; null when the language is not known. */
  highlight(source: string, language: string): Markup | null
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
  findFirstIn: () => null,
  findCustomEmoji: () => null,
  linkifiers: [],
  translateEmoticons: false,
  codeLanguage: '',
  previewsMedia: true,
  images: new Map(),
  writers: null,
}
