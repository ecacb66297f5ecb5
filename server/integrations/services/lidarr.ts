import { z } from 'zod'
import { health, healthRestored, listed, testEvent, update } from '../families/media.ts'
import { eventIn, integration, on } from '../integration.ts'
import { md } from '../markdown.ts'

const text = z.string().nullish()
const titled = z.object({ title: text })
const artist = z.object({
  artist: z.object({ name: z.string() }),
  albums: z.array(titled).nullish(),
  tracks: z.array(titled).nullish(),
  isUpgrade: z.boolean().nullish(),
})

const about = (words: string, upgrade = words) =>
  on(artist, (given) => {
    const items = (given.tracks ?? given.albums ?? []).map(({ title }) => title ?? 'without a title')
    const verb = given.isUpgrade ? upgrade : words
    const line = md`${given.artist.name}: ${verb}${items.length > 0 ? ':' : '.'}`
    return { topic: given.artist.name, content: listed(line, items) }
  })

export const lidarr = integration({
  name: 'lidarr',
  title: 'Lidarr',
  category: 'Media',
  summary: 'Music that was grabbed or imported',
  logo: { letter: 'L', color: '#00a65b' },
  steps: [
    'In Lidarr, open **Settings**, then **Connect**, and add a **Webhook** with the URL and the method **POST**.',
  ],
  sample: { payload: { eventType: 'Grab', artist: { name: 'The Example' }, albums: [{ title: 'First Steps' }] } },
  eventOf: eventIn('eventType'),
  events: {
    Test: testEvent('Lidarr'),
    Health: health,
    HealthRestored: healthRestored,
    ApplicationUpdate: update('Lidarr'),
    Grab: about('albums were grabbed'),
    Download: about('tracks were imported', 'tracks were upgraded'),
    DownloadFailure: about('a download failed'),
    ImportFailure: about('an import failed'),
    Rename: about('tracks were renamed'),
    Retag: about('tracks were tagged again'),
    ArtistAdd: about('the artist was added'),
    ArtistDelete: about('the artist was deleted'),
    AlbumDelete: about('an album was deleted'),
  },
})
