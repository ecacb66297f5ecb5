import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { categories, type Integration } from '../integration.ts'

// Integrations as the catalogue shows them, in the API and on the public pages: names of categories and events, steps
// and the sample message as HTML. Everything follows from the declaration of the service.

/** Returns the name of a category in URLs. */
export const categoryName = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

export const categoryList = categories.map((title) => ({ name: categoryName(title), title }))

/** Returns a kind of event as people read it, such as `Pull request` for `pull_request`. */
export function eventTitle(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_.:/-]+/g, ' ')
    .trim()
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const markdownToHtml = (text: string): string => renderMarkdown(text, { ...emptyScope, previewsMedia: false }).html

/** Returns the steps that set the service up, each as HTML. */
export const stepsAsHtml = ({ steps }: Pick<Integration, 'steps'>): string[] => steps.map(markdownToHtml)

/** Returns the first message that the sample of an integration makes. */
export function sampleMessage({ sample, ...integration }: Integration): { topic: string; html: string } {
  const headers = new Map(Object.entries(sample.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  const [message] = integration.toMessages(sample.payload, {
    topic: undefined,
    header: (name) => headers.get(name.toLowerCase()),
    param: () => undefined,
    wantsBranch: () => true,
    ignoresPrivate: false,
  })
  if (message === undefined) throw new Error(`The sample of ${integration.name} makes no message`)
  return { topic: message.topic, html: markdownToHtml(message.content.markdown) }
}
