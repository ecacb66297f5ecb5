import { z } from 'zod'
import type { Settings } from '#config.ts'
import { isPlainAddress, type ServiceAnswer } from '#lib/guarded-fetch.ts'
import type { gifRatings } from '#realms/realm-settings.ts'
import type { CallService, ServiceOrigins } from '../outside-services.ts'
import type { FoundGif, FoundGifs } from './gif-cache.ts'

// The providers of GIFs: how each is asked, and what counts of its answer. Entries that do not have the expected form are
// left out, and so are addresses that do not lead to the provider itself. Titles lose every sign with a meaning in
// Markdown, because they become part of messages.

export type Rating = Exclude<keyof typeof gifRatings, 'disabled'>

/** A search; without a query, for GIFs that are popular now. `position` is '' for the first page. */
export type GifSearch = { query: string; position: string; rating: Rating }

export type GifProvider = 'giphy' | 'tenor'

/** The number of GIFs in one page of results. */
const PAGE_SIZE = 18

/** Returns the provider for which the operator has a key; null if there is none, or if pictures are not passed on. */
export function gifProviderOf({ GIPHY_API_KEY, TENOR_API_KEY, EXTERNAL_CONTENT }: Settings): GifProvider | null {
  if (!EXTERNAL_CONTENT) return null
  if (GIPHY_API_KEY !== '') return 'giphy'
  return TENOR_API_KEY === '' ? null : 'tenor'
}

/** Asks a provider. Returns null if it does not respond as expected. */
export async function findGifs(
  call: CallService,
  provider: GifProvider,
  { origins, settings }: { origins: ServiceOrigins; settings: Settings },
  search: GifSearch,
): Promise<FoundGifs | null> {
  const url =
    provider === 'giphy'
      ? giphyAddress(origins.giphy, settings.GIPHY_API_KEY, search)
      : tenorAddress(origins.tenor, settings.TENOR_API_KEY, search)
  const answer = await call({ method: 'GET', url, headers: { accept: 'application/json' } })
  if (answer?.status !== 200) return null
  const { data } = listSchemas[provider].safeParse(parse(answer))
  return data ?? null
}

function giphyAddress(origin: string, key: string, { query, position, rating }: GifSearch): string {
  const params = new URLSearchParams({
    api_key: key,
    ...(query !== '' && { q: query }),
    limit: String(PAGE_SIZE),
    offset: /^\d{1,4}$/.test(position) ? position : '0',
    rating,
    bundle: 'messaging_non_clips',
  })
  return `${origin}/v1/gifs/${query === '' ? 'trending' : 'search'}?${params}`
}

/** The filters of Tenor for the ratings of GIPHY: they allow GIFs up to G, PG, PG-13 and R. */
const TENOR_FILTERS: Readonly<Record<Rating, string>> = { y: 'high', g: 'high', pg: 'medium', 'pg-13': 'low', r: 'off' }

function tenorAddress(origin: string, key: string, { query, position, rating }: GifSearch): string {
  const params = new URLSearchParams({
    key,
    client_key: 'parley',
    ...(query !== '' && { q: query }),
    limit: String(PAGE_SIZE),
    ...(position !== '' && { pos: position }),
    contentfilter: TENOR_FILTERS[rating],
    media_filter: 'gif,tinygif,tinygifpreview',
  })
  return `${origin}/v2/${query === '' ? 'featured' : 'search'}?${params}`
}

/** Declares the address of a file of the provider, in a form that fits into a link in Markdown. */
const mediaAddress = (host: RegExp) =>
  z
    .string()
    .max(1000)
    .transform((text, context) => {
      const url = URL.parse(text)
      if (url !== null && url.protocol === 'https:' && isPlainAddress(url) && host.test(url.hostname))
        return url.href.replace(/[()\\[\]]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
      context.addIssue({ code: 'custom', message: 'is not an address of the provider' })
      return z.NEVER
    })

const id = z.union([z.string().min(1).max(100), z.int()]).transform(String)

const size = z.coerce
  .number()
  .transform((pixels) => Math.min(2000, Math.max(1, Math.round(pixels))))
  .catch(200)

const MAX_TITLE_LENGTH = 100

/** A title of letters, digits and punctuation without a meaning in Markdown. */
const title = z
  .string()
  .catch('')
  .transform((text) =>
    Array.from(
      text
        .normalize('NFC')
        .replace(/[^\p{L}\p{M}\p{N} .,!?'’&+-]/gu, ' ')
        .replace(/ +/g, ' ')
        .trim(),
    )
      .slice(0, MAX_TITLE_LENGTH)
      .join('')
      .trim(),
  )
  .transform((text) => text || 'GIF')

/** Declares a list whose invalid entries are left out. */
const tolerantList = <Type extends z.ZodType>(entry: Type) =>
  z.array(z.unknown()).transform((entries) =>
    entries.slice(0, PAGE_SIZE).flatMap((one) => {
      const { data, success } = entry.safeParse(one)
      return success ? [data] : []
    }),
  )

const giphyFile = mediaAddress(/(?:^|\.)giphy\.com$/)
const giphyImage = z.object({ url: giphyFile, width: size, height: size })

const giphyGif = z
  .object({
    id,
    title,
    images: z.object({
      fixed_width: giphyImage,
      fixed_width_downsampled: giphyImage.nullable().catch(null),
      fixed_width_still: giphyImage.nullable().catch(null),
      downsized_medium: giphyImage.nullable().catch(null),
      original: giphyImage.nullable().catch(null),
    }),
  })
  .transform(({ id, title, images }): FoundGif => {
    const { fixed_width, fixed_width_downsampled, fixed_width_still, downsized_medium, original } = images
    const preview = fixed_width_downsampled ?? fixed_width
    return {
      id,
      title,
      url: (downsized_medium ?? original ?? fixed_width).url,
      preview: preview.url,
      still: fixed_width_still?.url ?? null,
      width: preview.width,
      height: preview.height,
    }
  })

const tenorFile = mediaAddress(/(?:^|\.)tenor\.com$/)
const tenorImage = z.object({ url: tenorFile, dims: z.tuple([size, size]).catch([200, 200]) })

const tenorGif = z
  .object({
    id,
    content_description: title,
    media_formats: z.object({
      gif: tenorImage,
      tinygif: tenorImage,
      tinygifpreview: tenorImage.nullable().catch(null),
    }),
  })
  .transform(
    ({ id, content_description, media_formats: { gif, tinygif, tinygifpreview } }): FoundGif => ({
      id,
      title: content_description,
      url: gif.url,
      preview: tinygif.url,
      still: tinygifpreview?.url ?? null,
      width: tinygif.dims[0],
      height: tinygif.dims[1],
    }),
  )

const listSchemas = {
  giphy: z
    .object({
      data: tolerantList(giphyGif),
      pagination: z.object({ total_count: z.int(), count: z.int(), offset: z.int() }).nullable().catch(null),
    })
    .transform(({ data, pagination }): FoundGifs => {
      const end = pagination === null ? 0 : pagination.offset + pagination.count
      const hasMore = pagination !== null && pagination.count > 0 && end < Math.min(pagination.total_count, 5000)
      return { gifs: data, next: hasMore ? String(end) : null }
    }),
  tenor: z
    .object({ results: tolerantList(tenorGif), next: z.string().max(500).catch('') })
    .transform(({ results, next }): FoundGifs => ({ gifs: results, next: next || null })),
} as const

function parse({ body }: ServiceAnswer): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
