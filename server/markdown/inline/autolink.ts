import type { StateInline } from 'markdown-it'
import { contextOf } from '../context.ts'
import { type BareUrl, findBareUrls } from '../links/bare-urls.ts'
import { type FoundLink, findLinks, withoutOverlaps } from '../links/linkifier.ts'
import { relativeUrl } from '../links/url.ts'
import { element, fromText } from '../markup.ts'
import type { RenderScope } from '../scope.ts'
import { pushMarkup } from './push.ts'

const PREFIXES: Record<BareUrl['kind'], string> = { url: '', domain: 'http://', email: 'mailto:' }

/** Returns the bare addresses in text and the linkifier matches between them, in order and without overlaps. */
export function findAutolinks(text: string, scope: RenderScope): FoundLink[] {
  const bare = findBareUrls(text).map(({ start, end, kind }) => {
    const typed = text.slice(start, end)
    return { start, end, text: typed, url: relativeUrl(PREFIXES[kind] + typed, scope.realmUrls) }
  })
  const linkified = scope.linkifiers.flatMap((linkifier) => findLinks(linkifier, text))
  return withoutOverlaps([...bare, ...linkified])
}

export function autolink(state: StateInline): boolean {
  const context = contextOf(state)
  if (context.isInLabel) return false
  const passed = context.links.findIndex((found) => found.start >= state.pos)
  context.links.splice(0, passed < 0 ? context.links.length : passed)
  const found = context.links[0]
  if (found?.start !== state.pos) return false
  context.shownLinks.push({ url: found.url, text: found.text })
  return pushMarkup(state, element('a', { href: found.url }, fromText(found.text)), found.end)
}
