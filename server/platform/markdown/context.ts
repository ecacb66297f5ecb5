import type { Env } from 'markdown-it'
import type { CodeSpan } from './inline/code-spans.ts'
import type { FoundLink } from './links/linkifier.ts'
import type { Markup } from './markup.ts'
import type { ShownLink } from './previews.ts'
import type { RenderScope } from './scope.ts'

/** What travels through the parser's rules while one message is rendered. */
export type RenderContext = {
  readonly scope: RenderScope
  readonly userIds: Set<number>
  readonly groupIds: Set<number>
  mentionsChannel: boolean
  mentionsTopic: boolean
  /** How many quotes surround the text being written; inside one, mentions are silent. */
  quotes: number
  /** The code of the text being parsed that lies ahead, in order. */
  code: CodeSpan[]
  /** The links that the text being parsed holds by itself and that lie ahead, in order. */
  links: FoundLink[]
  /** Whether the text being parsed is the label of a link, in which there are no links. */
  isInLabel: boolean
  /** The links written since the text of the block began. */
  shownLinks: ShownLink[]
  /** All addresses that were linked outside quotes. */
  readonly linkedUrls: Set<string>
  /** What is shown at the end of the message. */
  readonly latePreviews: Markup[]
}

export function newContext(scope: RenderScope): RenderContext {
  return {
    scope,
    userIds: new Set(),
    groupIds: new Set(),
    mentionsChannel: false,
    mentionsTopic: false,
    quotes: 0,
    code: [],
    links: [],
    isInLabel: false,
    shownLinks: [],
    linkedUrls: new Set(),
    latePreviews: [],
  }
}

/** The parser hands its rules an untyped record, in which `envOf` put the context. */
export function contextOf(state: { env: Env }): RenderContext {
  return state.env.context as RenderContext
}

export function envOf(context: RenderContext): Env {
  return { context }
}
