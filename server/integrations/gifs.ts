import { z } from 'zod'
import type { Settings } from '#config.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import type { RateRule } from '#http/rate-limits.ts'
import { rateLimitHit, refusal } from '#lib/errors.ts'
import { externalContentPath } from '#lib/external-content-address.ts'
import { personIdOf, requesterOf } from '#people/users.ts'
import { gifRatings } from '#realms/realm-settings.ts'
import { findGifs, type GifProvider, gifProviderOf, type Rating } from './gifs/providers.ts'

// The search for GIFs. Browsers ask only this server, which asks the provider with the key of the operator and the rating
// of the organization, and passes the pictures on. So the provider learns neither who searches nor who reads.

const OPTION_NAMES: Readonly<Record<keyof typeof gifRatings, string>> = {
  disabled: 'No GIFs',
  y: 'Y (young children)',
  g: 'G (general audience)',
  pg: 'PG (parental guidance)',
  'pg-13': 'PG-13 (13 and older)',
  r: 'R (restricted)',
}

/** Returns the ratings that administrators can choose: none, if the operator has no key of a provider. */
export function gifRatingOptions(settings: Settings): Record<string, { id: number; name: string }> {
  const names = gifProviderOf(settings) === null ? (['disabled'] as const) : typedKeys(gifRatings)
  return Object.fromEntries(names.map((name) => [name, { id: gifRatings[name], name: OPTION_NAMES[name] }]))
}

const typedKeys = <Keys extends string>(values: Readonly<Record<Keys, unknown>>) => Object.keys(values) as Keys[]

const gifJson = z.strictObject({
  id: z.string(),
  title: z.string().describe('A short description, without signs that have a meaning in Markdown.'),
  url: z.string().describe('The address of the GIF, for the link in a message.'),
  preview_url: z.string().describe('A small version, at this server.'),
  still_url: z.string().nullable().describe('A picture that does not move, at this server; null if there is none.'),
  width: z.int().describe('The width of the small version in pixels.'),
  height: z.int(),
})

const noGifs = refusal('BAD_REQUEST', 400, 'GIFs are turned off in this organization.')
const searchFailed = refusal(
  'BAD_REQUEST',
  400,
  'The search for GIFs does not respond. Try again in a minute. If this happens again, tell your administrator.',
)

/** The searches of a user that are not in the cache. */
const SEARCHES: readonly RateRule[] = [
  [60, 30],
  [3600, 300],
]

const searchGifs = endpoint({
  route: 'GET /gifs/search',
  summary: 'Search GIFs',
  description:
    'Asks GIPHY or Tenor, up to the rating that the organization allows. Clients have to show “Powered by GIPHY” or “Powered by Tenor” beside the results. To send a GIF, send the link `[title](url)`.',
  who: 'human',
  params: {
    query: z.string().max(100).default('').describe('The words to search; popular GIFs without them.'),
    next: z.string().max(500).default('').describe('The `next` of the previous page of results.'),
  },
  returns: {
    provider: z.enum(['giphy', 'tenor']),
    gifs: z.array(gifJson),
    next: z.string().nullable().describe('Null at the end of the results.'),
  },
  refuses: [noGifs, searchFailed],
  async handle(call, { query, next }) {
    const { settings, actor, secret, outside } = call
    const provider = gifProviderOf(settings)
    const rating = ratingOf(actor.realm.settings.giphy_rating)
    if (provider === null || rating === null) throw noGifs()
    const search = { query: query.trim().replace(/\s+/g, ' ').toLowerCase(), position: next, rating }
    const key = JSON.stringify([provider, search])
    const found = outside.gifs.find(key) ?? (await findAndKeep(call, provider, search, key))
    const pictureKey = { secret, privateHosts: [] }
    const gifs = found.gifs.flatMap(({ id, title, url, preview, still, width, height }) => {
      const previewUrl = externalContentPath(pictureKey, preview)
      const stillUrl = still === null ? null : externalContentPath(pictureKey, still)
      return previewUrl === null
        ? []
        : [{ id, title, url, preview_url: previewUrl, still_url: stillUrl, width, height }]
    })
    return { provider, gifs, next: found.next }
  },
})

async function findAndKeep(
  { settings, actor, outside, rateLimiter, clock }: Call,
  provider: GifProvider,
  search: { query: string; position: string; rating: Rating },
  key: string,
) {
  if (settings.RATE_LIMITING) {
    const verdict = rateLimiter.take(`gifs of ${personIdOf(actor)}`, SEARCHES, clock.now())
    if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
  }
  const found = await outside.run('gifs', requesterOf(actor, settings.RATE_LIMITING), (ask) =>
    findGifs(ask, provider, { origins: outside.origins, settings }, search),
  )
  if (found === null) throw searchFailed()
  outside.gifs.add(key, found)
  return found
}

/** Returns the name of a rating; null if the organization has no GIFs. */
const ratingOf = (rating: number): Rating | null =>
  typedKeys(gifRatings).find((name): name is Rating => name !== 'disabled' && gifRatings[name] === rating) ?? null

export const gifEndpoints = [searchGifs]
