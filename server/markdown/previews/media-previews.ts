import { linkedPathId } from '../links/upload-links.ts'
import { element, type Markup, nothing, startTag } from '../markup.ts'

/** An uploaded image of the organization. */
export type PreviewedImage = {
  readonly url: string
  /** The address of the image's thumbnail. */
  readonly thumbnailUrl: string
  readonly contentType: string
  readonly width: number
  readonly height: number
  readonly isAnimated: boolean
}

/** A link as the message displays it. */
export type ShownLink = { readonly url: string; readonly text: string }

/**
 * The maximum number of linked addresses in a message with previews. With more, it shows none, as on the reference
 * server.
 */
export const MAX_LINKS = 24

const IMAGE = /\.(?:bmp|gif|jpe|jpeg|jpg|png|webp)$/i
const VIDEO = /\.(?:mp4|webm)$/i

/**
 * Returns the preview below a link to an image or a video; null for other links. Only the address decides: nothing is
 * fetched.
 */
export function previewOf(link: ShownLink, images: ReadonlyMap<string, PreviewedImage>): Markup | null {
  const uploaded = images.get(linkedPathId(link.url) ?? '')
  if (uploaded !== undefined) return uploadedElement(link, uploaded)
  if (!/^https?:/i.test(link.url)) return null
  const path = pathOf(link.url)
  if (IMAGE.test(path)) return mediaElement('message_inline_image', link, startTag('img', { src: link.url }))
  if (!VIDEO.test(path)) return null
  const video = element('video', { preload: 'metadata', src: link.url }, nothing)
  return mediaElement('message_inline_image message_inline_video', link, video)
}

const pathOf = (url: string) => URL.parse(url)?.pathname ?? ''

/** Returns whether the address looks like that of an image or a video. */
export const isMediaAddress = (url: string): boolean => IMAGE.test(pathOf(url)) || VIDEO.test(pathOf(url))

function uploadedElement({ text }: ShownLink, image: PreviewedImage): Markup {
  const shown = startTag('img', {
    ...(image.isAnimated && { 'data-animated': 'true' }),
    'data-original-content-type': image.contentType,
    'data-original-dimensions': `${image.width}x${image.height}`,
    src: image.thumbnailUrl,
  })
  return mediaElement('message_inline_image', { url: image.url, text }, shown)
}

function mediaElement(kind: string, { url, text }: ShownLink, media: Markup): Markup {
  const attributes = text === url ? { href: url } : { href: url, title: text }
  return element('div', { class: kind }, element('a', attributes, media))
}
