import { z } from 'zod'
import { on } from '../integration.ts'
import { bareLink, bullets, type Markdown, type MarkdownValue, md, paragraphs, plainText } from '../markdown.ts'

// The events that Lidarr, Radarr and Sonarr share: they are made of the same parts.

const text = z.string().nullish()

/** Returns the handler of problems that the program found in its set-up. */
export const health = on(
  z.object({ level: z.string(), message: text, wikiUrl: text }),
  ({ level, message, wikiUrl }) => ({
    topic: `Health ${level}`,
    content: md`${plainText(message)}${wikiUrl && md` (${bareLink(wikiUrl)})`}`,
  }),
)

/** Returns the handler of the end of such a problem. */
export const healthRestored = on(z.object({ level: z.string(), message: text }), ({ level, message }) => ({
  topic: `Health ${level}`,
  content: md`Resolved: ${message}`,
}))

export const testEvent = (title: string) => () => ({
  topic: `${title} - Test`,
  content: md`${title} reached this URL. Events will appear here.`,
})

export const update = (title: string) =>
  on(z.object({ message: text, previousVersion: text, newVersion: text }), (given) => ({
    topic: `${title} - Application update`,
    content: md`${title} was updated from ${given.previousVersion ?? 'an older version'} to ${given.newVersion ?? 'a newer one'}.`,
  }))

/** The maximum number of items that a message lists. */
const MAX_ITEMS = 20

/** Returns a line and a list of what it is about. */
export function listed(line: Markdown, items: readonly MarkdownValue[]): Markdown {
  const left = items.length - MAX_ITEMS
  return paragraphs(line, bullets([...items.slice(0, MAX_ITEMS), left > 0 && md`and ${left} more`]))
}
