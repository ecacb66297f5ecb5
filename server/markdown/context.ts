import type { Env, StateInline } from 'markdown-it'
import type { CodeSpan } from './inline/code-spans.ts'
import type { FoundLink } from './linkifier.ts'
import type { Markup } from './markup.ts'
import type { ShownLink } from './previews.ts'
import type { RenderScope } from './scope.ts'

/** The state that the parser's rules share while one message is rendered. */
export type RenderContext = {
  readonly scope: RenderScope
  readonly userIds: Set<number>
  readonly groupIds: Set<number>
  mentionsChannel: boolean
  mentionsTopic: boolean
  /** The number of quotes around the current text; mentions inside a quote are silent. */
  quotes: number
  /** The number of spoilers around the current text. */
  spoilers: number
  /** The remaining code spans of the current text, in order. */
  code: CodeSpan[]
  /** The remaining automatic links of the current text, in order. */
  links: FoundLink[]
  /** True if the current text is the label of a link. A label cannot contain links. */
  isInLabel: boolean
  /** The links written since the beginning of the block's text. */
  shownLinks: ShownLink[]
  /** All addresses that were linked outside quotes. */
  readonly linkedUrls: Set<string>
  /** The media previews that the message shows at its end. */
  readonly latePreviews: Markup[]
  /** The previews of websites. They follow `latePreviews`. */
  readonly linkPreviews: Markup[]
  /** The linked addresses for which a website preview may be fetched, in the order of the text. */
  readonly previewableUrls: string[]
}

export function newContext(scope: RenderScope): RenderContext {
  return {
    scope,
    userIds: new Set(),
    groupIds: new Set(),
    mentionsChannel: false,
    mentionsTopic: false,
    quotes: 0,
    spoilers: 0,
    code: [],
    links: [],
    isInLabel: false,
    shownLinks: [],
    linkedUrls: new Set(),
    latePreviews: [],
    linkPreviews: [],
    previewableUrls: [],
  }
}

/** Returns the context from the untyped record that the parser passes to its rules. `envOf` creates that record. */
export function contextOf(state: { env: Env }): RenderContext {
  return state.env.context as RenderContext
}

export function envOf(context: RenderContext): Env {
  return { context }
}

/** Adds finished markup. Later rules do not look into it. `end` is the position after the source of the markup. */
export function pushMarkup(state: StateInline, html: Markup, end: number): true {
  state.push('markup', '', 0).content = html
  state.pos = end
  return true
}

/** Matches a sticky pattern at the parser's position if an allowed character (or the beginning) precedes it. */
export function matchHere(state: StateInline, pattern: RegExp, mayPrecede: RegExp): RegExpExecArray | null {
  if (state.pos > 0 && !mayPrecede.test(state.src.charAt(state.pos - 1))) return null
  pattern.lastIndex = state.pos
  const match = pattern.exec(state.src)
  return pattern.lastIndex > state.posMax ? null : match
}
