import { type ExternalContentKey, externalAddressIn, externalContentPath } from '#lib/external-content-address.ts'
import { element, fromCode, joinMarkup, type Markup, nothing, startTag, unescapeHtml } from './markup.ts'

// Previews below a message, and the addresses of files in it. The rendered HTML is the record of what a message
// shows: previews and claims on files are read from it, and nothing is fetched here. Pictures and videos of other sites
// have addresses of this server, which passes them on; without the key for these addresses they stay links.

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
 * The title, description and picture of a website that a message links to. Of a page for one photo or video, the message
 * shows only the picture, with the title.
 */
export type LinkPreview = {
  readonly kind: 'website' | 'photo' | 'video'
  readonly title: string
  readonly description: string
  /** The address of the picture at the other site. */
  readonly image: string | null
}

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

type MediaScope = {
  readonly images: ReadonlyMap<string, PreviewedImage>
  /** The key for the addresses of pictures of other sites; null if these pictures are only links. */
  readonly externalContentKey: ExternalContentKey | null
}

/**
 * Returns the preview below a link to an image or a video; null for other links. Only the address decides: nothing is
 * fetched.
 */
export function previewOf(link: ShownLink, { images, externalContentKey }: MediaScope): Markup | null {
  const uploaded = images.get(linkedPathId(link.url) ?? '')
  if (uploaded !== undefined) return uploadedElement(link, uploaded)
  const src = isMediaAddress(link.url) ? proxied(externalContentKey, openedAddress(link.url)) : null
  if (src === null) return null
  if (IMAGE.test(pathOf(link.url))) return mediaElement('message_inline_image', link, startTag('img', { src }))
  const video = element('video', { preload: 'metadata', src }, nothing)
  return mediaElement('message_inline_image message_inline_video', link, video)
}

const proxied = (key: ExternalContentKey | null, address: string) =>
  key === null ? null : externalContentPath(key, address)

/** Returns the address that browsers open for a link: `&amp;` keeps its meaning in addresses that users type. */
export const openedAddress = (url: string): string => url.replaceAll('&amp;', '&')

/** Matches the addresses of a video on YouTube: pages, short links, and players. */
const YOUTUBE =
  /^https?:\/\/(?:(?:www\.|m\.|music\.)?youtube(?:-nocookie)?\.com\/(?:watch\?(?:[^#]*&)?v=|(?:embed|live|shorts|v)\/)|youtu\.be\/)(?<id>[\w-]{11})(?![\w-])/i

/** Returns the id of the YouTube video that an address shows; null for other addresses. */
const youtubeIdOf = (address: string): string | null => YOUTUBE.exec(address)?.groups?.['id'] ?? null

/** Returns the thumbnail below a link to a YouTube video; null for other links. `title` is null if it is not known. */
export function youtubePreviewOf(
  { url }: ShownLink,
  title: string | null,
  key: ExternalContentKey | null,
): Markup | null {
  const id = youtubeIdOf(openedAddress(url))
  const src = id === null ? null : proxied(key, `https://i.ytimg.com/vi/${id}/mqdefault.jpg`)
  if (id === null || src === null) return null
  const attributes = { 'data-id': id, href: url, ...(title !== null && { title }) }
  const thumbnail = element('a', attributes, startTag('img', { src }))
  return element('div', { class: 'youtube-video message_inline_image' }, thumbnail)
}

const pathOf = (url: string) => URL.parse(url)?.pathname ?? ''

/** Returns whether the address looks like that of an image or a video. */
export const isMediaAddress = (url: string): boolean =>
  /^https?:/i.test(url) && (IMAGE.test(pathOf(url)) || VIDEO.test(pathOf(url)))

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

const KIND_CLASSES = { photo: 'message_inline_image', video: 'embed-video message_inline_image' } as const

/**
 * Returns the element that shows a preview at the end of a message, as the reference server writes it. It contains no
 * code of the website, which the reference server adds to videos.
 */
export function linkPreviewElement(url: string, preview: LinkPreview, key: ExternalContentKey | null): Markup {
  const { kind, title, description } = preview
  const image = preview.image === null ? null : proxied(key, preview.image)
  if (kind !== 'website' && image !== null) {
    const picture = element('a', { href: url, title }, startTag('img', { src: image }))
    return element('div', { class: KIND_CLASSES[kind] }, picture)
  }
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
  return element('a', { class: 'message_embed_image', href: url, style: `background-image: url("${image}")` }, nothing)
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

/** The pictures of websites, in the form of `linkPreviewElement` and `youtubePreviewOf`. */
const PICTURE = new RegExp(
  [
    '<div class="(?:(?<video>embed-video|youtube-video) )?message_inline_image"><a (?:data-id="[^"]*" )?',
    'href="(?<url>[^"]*)" title="(?<title>[^"]*)"><img src="(?<image>/external_content/[^"]*)"></a></div>',
  ].join(''),
  'g',
)

/** Returns the website previews in the HTML of a message, by the address of the website. */
export function linkPreviewsIn(html: string): ReadonlyMap<string, LinkPreview> {
  const previews = new Map<string, LinkPreview>()
  for (const [pattern, kindOf] of [
    [PREVIEW, () => 'website'],
    [PICTURE, ({ video }) => (video === undefined ? 'photo' : 'video')],
  ] as const satisfies [RegExp, (groups: Record<string, string | undefined>) => LinkPreview['kind']][]) {
    for (const { groups = {} } of html.matchAll(pattern)) {
      const { url = '', title = '', description = '', image } = groups
      previews.set(unescapeHtml(url), {
        kind: kindOf(groups),
        title: unescapeHtml(title),
        description: unescapeHtml(description),
        image: image === undefined ? null : (externalAddressIn(image) ?? unescapeHtml(image)),
      })
    }
  }
  return previews
}

const DIRECT_MEDIA =
  /(<(?:img|video preload="metadata") src="|style="background-image: url\(&quot;)(https?:[^"]*?)(?="|&quot;)/g

/**
 * Returns the HTML of an older renderer with addresses of this server for all pictures and videos of other sites. Those
 * that the server would not fetch have no address.
 */
export function withProxiedMedia(html: string, key: ExternalContentKey): string {
  return html.replace(DIRECT_MEDIA, (_, before: string, address: string) => {
    return before + (externalContentPath(key, unescapeHtml(address)) ?? '')
  })
}
