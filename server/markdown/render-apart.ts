import { extname } from 'node:path'
import { renderMarkdown } from './render.ts'
import { openRenderThread } from './render-thread.ts'
import type { Rendering, RenderScope } from './scope.ts'
import { toScopeData } from './scope-data.ts'

/** UTF-16 units up to which a text is rendered at once, in less time than it takes to hand it over. */
const SHORT = 2048

/** Milliseconds for one text. */
const TIME_LIMIT = 1000

/** What formulas and code begin with: what writes them is loaded in the other thread alone. */
const NEEDS_WRITERS = /\$\$|```|~~~/

const thread = openRenderThread(new URL(`render-worker${extname(import.meta.url)}`, import.meta.url), TIME_LIMIT)

/**
 * As `renderMarkdown`, but with formulas and coloured code, and without holding up this thread: what is long or needs
 * large libraries is rendered in another one. Throws `CannotRender` for what takes longer than a second.
 */
export async function renderApart(text: string, scope: RenderScope): Promise<Rendering> {
  if (text.length <= SHORT && !NEEDS_WRITERS.test(text)) return renderMarkdown(text, scope)
  return thread.render(text, toScopeData(scope, text))
}
