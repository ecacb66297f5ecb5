import { z } from 'zod'
import { health, healthRestored, listed, testEvent, update } from '../families/media.ts'
import { eventIn, integration, on } from '../integration.ts'
import { type MarkdownValue, md } from '../markdown.ts'

const text = z.string().nullish()
const episode = z.object({ title: text, episodeNumber: z.number().nullish(), seasonNumber: z.number().nullish() })
const series = z.object({
  series: z.object({ title: z.string() }),
  episodes: z.array(episode).nullish(),
  isUpgrade: z.boolean().nullish(),
})

const nameOf = ({ title, episodeNumber, seasonNumber }: z.output<typeof episode>): MarkdownValue =>
  md`${`${seasonNumber ?? '?'}x${episodeNumber ?? '?'}`}${title && md` – ${title}`}`

const about = (words: string, upgrade = words) =>
  on(series, (given) => {
    const episodes = (given.episodes ?? []).map(nameOf)
    const verb = given.isUpgrade ? upgrade : words
    const line = md`${given.series.title}: ${verb}${episodes.length > 0 ? ':' : '.'}`
    return { topic: given.series.title, content: listed(line, episodes) }
  })

export const sonarr = integration({
  name: 'sonarr',
  title: 'Sonarr',
  category: 'Media',
  summary: 'Episodes that were grabbed or imported',
  logo: { letter: 'S', color: '#35c5f4' },
  steps: [
    'In Sonarr, open **Settings**, then **Connect**, and add a **Webhook** with the URL and the method **POST**.',
  ],
  sample: {
    payload: {
      eventType: 'Grab',
      series: { title: 'The Example' },
      episodes: [{ title: 'First Steps', episodeNumber: 1, seasonNumber: 1 }],
    },
  },
  eventOf: eventIn('eventType'),
  events: {
    Test: testEvent('Sonarr'),
    Health: health,
    HealthRestored: healthRestored,
    ApplicationUpdate: update('Sonarr'),
    Grab: about('episodes were grabbed'),
    Download: about('episodes were imported', 'episodes were upgraded'),
    Rename: about('episodes were renamed'),
    SeriesAdd: about('the series was added'),
    SeriesDelete: about('the series was deleted'),
    EpisodeFileDelete: about('files of episodes were deleted'),
    ManualInteractionRequired: about('an episode needs your attention'),
  },
})
