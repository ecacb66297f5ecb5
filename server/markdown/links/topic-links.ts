import { findBareUrls } from './bare-urls.ts'
import { type FoundLink, findLinks, type Linkifier, withoutOverlaps } from './linkifier.ts'

export type TopicLink = { readonly url: string; readonly text: string }

/**
 * Returns the links of a topic in order of position. If links overlap, a linkifier with higher priority wins, and
 * linkifiers win over plain addresses.
 */
export function topicLinks(topic: string, linkifiers: readonly Linkifier[]): TopicLink[] {
  const linkified = linkifiers.flatMap((linkifier) => findLinks(linkifier, topic))
  return withoutOverlaps([...linkified, ...bareLinks(topic)]).map(({ url, text }) => ({ url, text }))
}

function bareLinks(topic: string): FoundLink[] {
  const prefixes = { url: '', domain: 'https://', email: 'mailto:' }
  return findBareUrls(topic).map(({ start, end, kind }) => {
    const text = topic.slice(start, end)
    return { start, end, text, url: prefixes[kind] + text }
  })
}
