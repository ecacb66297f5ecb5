import { z } from 'zod'
import { isWebAddress, type Page } from '#lib/guarded-fetch.ts'
import { decodeEntities } from '#lib/html.ts'
import type { LinkPreview } from '#markdown/previews.ts'

/** The maximum lengths of the title and the description, in code points. */
const MAX_TITLE_LENGTH = 200
const MAX_DESCRIPTION_LENGTH = 400

/** The preview that a page declares, and the address of its oEmbed description if that may have a better picture. */
type ReadPage = { preview: LinkPreview | null; oembedAddress: string | null }

/**
 * Reads the title, description and picture that a page declares for previews. The preview is null if the page has no
 * title.
 */
export function readPage({ url, html }: Page): ReadPage {
  const { title: ownTitle, properties, oembedLink } = readHead(html)
  const first = (...names: string[]) =>
    names.map((name) => properties.get(name) ?? '').find((text) => text !== '') ?? ''
  const title = toLine(first('og:title') || ownTitle, MAX_TITLE_LENGTH)
  const description = toLine(first('og:description', 'description'), MAX_DESCRIPTION_LENGTH)
  const image = toAddress(decodeEntities(first('og:image:secure_url', 'og:image')), url)
  const isVideo = first('og:type').startsWith('video') || properties.has('og:video')
  return {
    preview:
      title === '' ? null : { kind: 'website', title, description: description === title ? '' : description, image },
    oembedAddress: image === null || isVideo ? toAddress(decodeEntities(oembedLink), url) : null,
  }
}

/** Returns the address if it is one of the web; null otherwise, and for ''. The request to it has more rules. */
function toAddress(text: string, base: string): string | null {
  const url = text.trim() === '' ? null : URL.parse(text.trim(), base)
  return url !== null && url.href.length <= MAX_ADDRESS_LENGTH && isWebAddress(url) ? url.href : null
}

const MAX_ADDRESS_LENGTH = 2000

/** The services whose descriptions of videos are fetched without looking at the page (https://oembed.com). */
const OEMBED_SERVICES = [
  {
    pages: /^https?:\/\/(?:(?:www\.|m\.)?youtube\.com\/(?:watch|shorts\/|live\/)|youtu\.be\/)/i,
    endpoint: 'https://www.youtube.com/oembed?format=json&url=',
  },
  { pages: /^https?:\/\/(?:www\.|player\.)?vimeo\.com\/.*\d/i, endpoint: 'https://vimeo.com/api/oembed.json?url=' },
]

/** Returns the address of the oEmbed description of a page of a known service; null for other pages. */
export function oembedAddressOf(url: string): string | null {
  const service = OEMBED_SERVICES.find(({ pages }) => pages.test(url))
  return service === undefined ? null : service.endpoint + encodeURIComponent(url)
}

const oembedJson = z.object({
  type: z.enum(['photo', 'video']),
  title: z.string().nullish(),
  author_name: z.string().nullish(),
  url: z.string().nullish(),
  thumbnail_url: z.string().nullish(),
})

/**
 * Reads the oEmbed description of a photo or video. Returns null for other descriptions, and for those without a title
 * or a picture. The HTML in it is never used.
 */
export function readOembed({ url, html: text }: Page): LinkPreview | null {
  const parsed = oembedJson.safeParse(parseJson(text))
  if (!parsed.success) return null
  const { type: kind, thumbnail_url: thumbnail, url: photo, ...description } = parsed.data
  const title = toLine(description.title || description.author_name || '', MAX_TITLE_LENGTH)
  const image = toAddress((kind === 'photo' && photo) || thumbnail || '', url)
  return title === '' || image === null ? null : { kind, title, description: '', image }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Control characters, and characters that are invisible or change the direction of the text around them. */
const INVISIBLE =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** Returns the text of HTML in one line of limited length. */
function toLine(html: string, maxLength: number): string {
  const text = decodeEntities(html.slice(0, 20 * maxLength))
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .toWellFormed()
    .trim()
  const characters = Array.from(text)
  return characters.length <= maxLength
    ? text
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`
}

/** `oembedLink` is the address of the oEmbed description as it is written in the page, or ''. */
type Head = { title: string; properties: ReadonlyMap<string, string>; oembedLink: string }

/** Elements whose content is skipped without looking for tags in it. */
const RAW = new Set(['noscript', 'script', 'style', 'svg', 'template', 'textarea', 'title'])

const TAG = /<(?:!--|(\/?[a-z][a-z0-9]*))/gi

/** Reads the head of a page from start to end without going back, so that the time is linear for any HTML. */
function readHead(html: string): Head {
  const properties = new Map<string, string>()
  let title = ''
  let oembedLink = ''
  let at = 0
  for (;;) {
    TAG.lastIndex = at
    const tag = TAG.exec(html)
    if (tag === null) break
    const name = tag[1]?.toLowerCase()
    if (name === undefined) {
      at = endOf(html, '-->', TAG.lastIndex)
      continue
    }
    if (name === '/head' || name === 'body') break
    const { attributes, end } = readAttributes(html, TAG.lastIndex)
    at = end
    if (name === 'meta') addProperty(properties, attributes)
    if (name === 'link' && oembedLink === '' && isOembedLink(attributes)) oembedLink = attributes.get('href') ?? ''
    if (!RAW.has(name)) continue
    const close = findClosing(html, name, end)
    if (name === 'title' && title === '') title = html.slice(end, close)
    at = close
  }
  return { title, properties, oembedLink }
}

const isOembedLink = (attributes: ReadonlyMap<string, string>) =>
  attributes.get('type')?.trim().toLowerCase() === 'application/json+oembed' &&
  /(?:^|\s)alternate(?:\s|$)/i.test(attributes.get('rel') ?? '')

function addProperty(properties: Map<string, string>, attributes: ReadonlyMap<string, string>): void {
  const name = (attributes.get('property') ?? attributes.get('name') ?? '').trim().toLowerCase()
  const content = attributes.get('content') ?? ''
  if (name !== '' && content.trim() !== '' && !properties.has(name)) properties.set(name, content)
}

/** Returns the position after the next occurrence of the text, or the end of the page if there is none. */
function endOf(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from)
  return found < 0 ? html.length : found + text.length
}

function findClosing(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi')
  closing.lastIndex = from
  return closing.exec(html)?.index ?? html.length
}

const ATTRIBUTE = /[\s/]*(?:(>)|([^\s=>/]+|=)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?)/y

/** Reads the attributes of a tag up to its end. If a name occurs more than once, its first value counts. */
function readAttributes(html: string, from: number): { attributes: ReadonlyMap<string, string>; end: number } {
  const attributes = new Map<string, string>()
  let end = from
  for (;;) {
    ATTRIBUTE.lastIndex = end
    const found = ATTRIBUTE.exec(html)
    if (found === null) return { attributes, end: html.length }
    end = ATTRIBUTE.lastIndex
    const [, isEnd, name = '', double, single, bare] = found
    if (isEnd !== undefined) return { attributes, end }
    const key = name.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? '')
  }
}
