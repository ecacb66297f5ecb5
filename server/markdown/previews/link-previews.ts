import { element, fromCode, joinMarkup, type Markup, nothing } from '../markup.ts'

/** The title, description and picture of a website that a message links to. */
export type LinkPreview = { readonly title: string; readonly description: string; readonly image: string | null }

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

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }

const unescapeHtml = (html: string) => html.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
