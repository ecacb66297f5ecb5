import { z } from 'zod'
import { health, healthRestored, testEvent, update } from '../families/media.ts'
import { eventIn, integration, on } from '../integration.ts'
import { md } from '../markdown.ts'

const text = z.string().nullish()
const movie = z.object({ movie: z.object({ title: z.string() }), isUpgrade: z.boolean().nullish(), deleteReason: text })

const about = (words: string, upgrade = words) =>
  on(movie, (given) => ({
    topic: given.movie.title,
    content: md`${given.movie.title} ${given.isUpgrade ? upgrade : words}${given.deleteReason && md` (${given.deleteReason})`}.`,
  }))

export const radarr = integration({
  name: 'radarr',
  title: 'Radarr',
  category: 'Media',
  summary: 'Movies that were grabbed or imported',
  logo: { letter: 'R', color: '#ffc230' },
  steps: [
    'In Radarr, open **Settings**, then **Connect**, and add a **Webhook** with the URL and the method **POST**.',
  ],
  sample: { payload: { eventType: 'Grab', movie: { title: 'The Example' } } },
  eventOf: eventIn('eventType'),
  events: {
    Test: testEvent('Radarr'),
    Health: health,
    HealthRestored: healthRestored,
    ApplicationUpdate: update('Radarr'),
    Grab: about('was grabbed'),
    Download: about('was imported', 'was upgraded'),
    Rename: about('was renamed'),
    MovieAdded: about('was added'),
    MovieDelete: about('was deleted'),
    MovieFileDelete: about('lost a file'),
    ManualInteractionRequired: about('needs your attention'),
  },
})
