import type { RenderContext } from '../context.ts'
import { linkPreviewElement } from './link-previews.ts'
import { isMediaAddress } from './media-previews.ts'

/** The maximum number of website previews in a message. */
const MAX_LINK_PREVIEWS = 5

/**
 * Adds the preview of a website to the end of the message. If the preview is unknown, adds the address to
 * `previewableUrls` instead.
 */
export function addLinkPreview(written: string, context: RenderContext): void {
  const { scope, linkPreviews, previewableUrls, spoilers } = context
  // The address that browsers open.
  const url = written.replaceAll('&amp;', '&')
  const hasRoom = linkPreviews.length + previewableUrls.length < MAX_LINK_PREVIEWS
  // A preview would reveal the content of a spoiler.
  if (scope.linkPreviews === null || spoilers > 0 || !hasRoom || !isPreviewable(url)) return
  const preview = scope.linkPreviews.get(url)
  if (preview === undefined) previewableUrls.push(url)
  else linkPreviews.push(linkPreviewElement(url, preview))
}

const isPreviewable = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url) && !isMediaAddress(url)
