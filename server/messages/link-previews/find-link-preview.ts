import type { FetchPage } from '#lib/net/fetch-page.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { LinkPreview } from '#markdown/previews/link-previews.ts'
import { readPage } from './read-page.ts'

/** The maximum number of websites whose previews are kept in memory. */
const MAX_KEPT = 2000

/** Seconds for which three results are kept: a preview, its absence, and a network failure. */
const KEPT_FOR = 86_400
const ABSENCE_KEPT_FOR = 3600
const FAILURE_KEPT_FOR = 300

/** Returns the preview of a website; null if it has none, or cannot be reached. */
export type FindLinkPreview = (url: string, signal: AbortSignal) => Promise<LinkPreview | null>

/** Fetches websites, and keeps their previews for later messages with the same link. */
export function openLinkPreviews({ clock, fetchPage }: { clock: Clock; fetchPage: FetchPage }): FindLinkPreview {
  const kept = new Map<string, { preview: LinkPreview | null; until: number }>()

  return async (url, signal) => {
    const known = kept.get(url)
    if (known !== undefined && known.until > clock.now()) return known.preview
    const page = await fetchPage(url, signal)
    if (signal.aborted) return null
    const isUnreachable = page === 'unreachable'
    const preview = isUnreachable || page === null ? null : readPage(page)
    const time = isUnreachable ? FAILURE_KEPT_FOR : preview === null ? ABSENCE_KEPT_FOR : KEPT_FOR
    kept.delete(url)
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '')
    kept.set(url, { preview, until: clock.now() + time })
    return preview
  }
}
