import { z } from 'zod'
import { eventIn, type Integration, integration, on } from './integration.ts'
import { bullets, count, link, type Markdown, type MarkdownValue, md, paragraphs } from './markdown.ts'

// Radarr, Sonarr and Lidarr send the same kinds of events about movies, series and music.

const text = z.string().nullish()

/** The maximum number of titles that a message lists. */
const MAX_TITLES = 20

/** Returns a list of titles, whose last line counts those that are left out. */
export function titleList(titles: readonly MarkdownValue[]): Markdown {
  const left = titles.length - MAX_TITLES
  return bullets([...titles.slice(0, MAX_TITLES), left > 0 && md`and ${count(left, 'other')}`])
}

/** Describes files that were imported, or replace others. */
export const imported = (name: MarkdownValue, isUpgrade: boolean | null | undefined): Markdown =>
  isUpgrade ? md`A better version of ${name} was imported.` : md`${name} was imported.`

/** Returns why files were deleted, such as `(missing from disk)`. */
export const reason = (given: string | null | undefined): MarkdownValue =>
  given && md` (${given.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)})`

/** Returns the release that was found, such as `(WEB-DL 1080p, from an indexer)`. */
export const release = (
  given: { quality?: string | null | undefined; indexer?: string | null | undefined } | null | undefined,
) => given?.quality && md` (${given.quality}${given.indexer && md`, from ${given.indexer}`})`

type Events = Readonly<Record<string, ReturnType<typeof on>>>

export const releaseShape = z.object({ quality: text, indexer: text }).nullish()

/** Declares a program of this family. `events` are those about its library. */
export function servarr(name: string, title: string, color: string, events: Events): Integration {
  const problem = z.object({ level: text, message: text, wikiUrl: text })
  return integration({
    name,
    title,
    category: 'Media',
    logo: { letter: title.charAt(0), color },
    steps: [
      `In ${title}, open **Settings**, then **Connect**, and click **+**.`,
      'Choose **Webhook**, and give it a name.',
      'Choose the events to send. Paste the URL into **URL**, and choose the method **POST**.',
      'Click **Test**, then **Save**.',
    ],
    eventOf: eventIn('eventType'),
    events: {
      ...events,
      Test: () => ({ topic: `${title} - Test`, content: md`The webhook of ${title} works.` }),
      ApplicationUpdate: on(
        z.object({ previousVersion: text, newVersion: text }),
        ({ previousVersion, newVersion }) => ({
          topic: `${title} - Application update`,
          content: md`${title} was updated${previousVersion && md` from ${previousVersion}`}${newVersion && md` to ${newVersion}`}.`,
        }),
      ),
      Health: on(problem, ({ level, message, wikiUrl }) => ({
        topic: `Health ${level ?? 'problem'}`,
        content: paragraphs(message ?? 'A check of the system failed.', wikiUrl && link('What to do', wikiUrl)),
      })),
      HealthRestored: on(problem, ({ level, message }) => ({
        topic: `Health ${level ?? 'problem'}`,
        content: md`Resolved: ${message ?? 'A check of the system succeeds again.'}`,
      })),
      ManualInteractionRequired: on(z.object({ downloadInfo: z.object({ title: text }).nullish() }), (payload) => ({
        topic: `${title} - Manual interaction`,
        content: md`${payload.downloadInfo?.title ?? 'A download'} waits for a decision before it is imported.`,
      })),
    },
  })
}
