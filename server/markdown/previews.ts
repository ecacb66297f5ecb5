import { element, fromCode, joinMarkup, type Markup, nothing, startTag, unescapeHtml } from './markup.ts'

// Previews below a message, and the addresses of files in it. The rendered HTML is the record of what a message
// shows: previews and claims on files are read from it, and nothing is fetched here.

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

/** The title, description and picture of a website that a message links to. */
export type LinkPreview = { readonly title: string; readonly description: string; readonly image: string | null }

/** The maximum number of website previews in a message. */
export const MAX_LINK_PREVIEWS = 5

/** The address of an uploaded file, relative to the address of the organization. */
const UPLOAD =
  /^\/?user_uploads\/(?:download\/)?(?<pathId>[0-9]{1,15}\/[0-9a-f]{2}\/[A-Za-z0-9_-]{24}\/[^/?#]{1,400})(?:[?#].*)?$/s

/** Returns the path of the uploaded file that a link of this organization points to; null for all other links. */
export function linkedPathId(href: string): string | null {
  return UPLOAD.exec(decoded(href))?.groups?.['pathId'] ?? null
}

/** Returns the paths of the files that the HTML of a message links to. */
export function pathIdsIn(html: string): Set<string> {
  if (!html.includes('user_uploads/')) return new Set()
  return pathIdsOf(Array.from(html.matchAll(/<a href="([^"]*)"/g), ([, href = '']) => href))
}

/**
 * Returns the paths of the files that the Markdown may link to. Rendering may show some of these addresses as plain
 * text.
 */
export function pathIdsNamedIn(markdown: string): Set<string> {
  if (!markdown.includes('user_uploads/')) return new Set()
  return pathIdsOf(Array.from(markdown.matchAll(/user_uploads\/[^\s()<>"'[\]]+/g), ([path]) => path))
}

const pathIdsOf = (links: readonly string[]) => new Set(links.map(linkedPathId).filter((pathId) => pathId !== null))

/** Decodes percent escapes. Returns the address unchanged if an escape is invalid. */
function decoded(href: string): string {
  if (!href.includes('%')) return href
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}

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

const MAX_IMAGE_ADDRESS = 2000

/** Returns whether a picture may be part of a preview. */
export const isPreviewImage = (url: string): boolean =>
  url.startsWith('https://') && url.length <= MAX_IMAGE_ADDRESS && URL.canParse(url)

/** Returns the element that shows a preview at the end of a message, as the reference server writes it. */
export function linkPreviewElement(url: string, { title, description, image }: LinkPreview): Markup {
  const link = element('a', { href: url, title }, fromCode(title))
  const text = joinMarkup(
    element('div', { class: 'message_embed_title' }, link),
    description === '' ? nothing : element('div', { class: 'message_embed_description' }, fromCode(description)),
  )
  const picture = image === null ? nothing : pictureElement(url, image)
  return element(
    'div',
    { class: 'message_embed' },
    joinMarkup(picture, element('div', { class: 'data-container' }, text)),
  )
}

/** Returns the picture of a preview. Clients of the API expect it as a background. */
function pictureElement(url: string, image: string): Markup {
  const address = image.replace(/["\\\n]/g, encodeURIComponent)
  const style = `background-image: url("${address}")`
  return element('a', { class: 'message_embed_image', href: url, style }, nothing)
}

const PREVIEW = new RegExp(
  [
    '<div class="message_embed">',
    '(?:<a class="message_embed_image" href="[^"]*" style="background-image: url\\(&quot;(?<image>[^"]*)&quot;\\)"></a>)?',
    '<div class="data-container"><div class="message_embed_title">',
    '<a href="(?<url>[^"]*)" title="[^"]*">(?<title>[^<]*)</a></div>',
    '(?:<div class="message_embed_description">(?<description>[^<]*)</div>)?</div></div>',
  ].join(''),
  'g',
)

/** Returns the website previews in the HTML of a message, by the address of the website. */
export function linkPreviewsIn(html: string): ReadonlyMap<string, LinkPreview> {
  return new Map(
    Array.from(html.matchAll(PREVIEW), ({ groups }) => {
      const { url = '', title = '', description = '', image } = groups ?? {}
      const preview = {
        title: unescapeHtml(title),
        description: unescapeHtml(description),
        image: image === undefined ? null : unescapeHtml(image),
      }
      return [unescapeHtml(url), preview]
    }),
  )
}
