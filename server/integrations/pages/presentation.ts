import { type Html, html } from '#lib/html.ts'
import { rich, t } from '#lib/text.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { findIntegration, integrations } from '../catalogue.ts'
import { categories, type Integration } from '../integration.ts'
import { findScripts, type Script } from '../scripts/scripts.ts'

// Integrations as the catalogue shows them, in the API and on the public pages: the list with services and scripts, names
// of categories and events, steps and the sample message as HTML. Everything follows from the declarations.

/** Returns the name of a category in URLs. */
export const categoryName = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

export const categoryList = categories.map((title) => ({ name: categoryName(title), title }))

/** An integration of the catalogue: a service with webhooks, or a program with a script. */
export type Entry = Integration | Script

export const isScript = (entry: Entry): entry is Script => 'connection' in entry

/** Returns all services and scripts by title. */
export const allEntries = (): Entry[] =>
  [...integrations, ...findScripts()].toSorted((one, other) => one.title.localeCompare(other.title, 'en'))

export const findEntry = (name: string): Entry | null =>
  findIntegration(name) ?? findScripts().find((one) => one.name === name) ?? null

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

/** Returns the steps that set the service up, each as HTML. `realmUrl` is the address of the organization. */
export function stepsAsHtml(entry: Entry, realmUrl: string): string[] {
  const steps = entry.steps.map((step) => markdownToHtml(step.replaceAll('https://chat.example.com', realmUrl)))
  return isScript(entry) ? [...botSteps(entry, realmUrl).map((step) => step.html), ...steps] : steps
}

/** The steps with which every script begins: the bot, and the place of its key. */
const botSteps = ({ connection }: Script, url: string): Html[] => [
  html`<p>${rich('In the chat, open <b>Settings</b>, then <b>Bots</b>, press <b>New bot</b>, and create a bot of the type <b>Incoming webhook</b>. Its key is shown once.', { b: strong })}</p>`,
  {
    curl: html`<p>${rich('On the machine that will post, save this as <code>~/.parley-bot</code>, with the email address and the key of the bot, and make it readable for its user alone (<code>chmod 600 ~/.parley-bot</code>):', { code })}</p>
<pre><code>url = "${url}/api/v1/messages"
user = "EMAIL:KEY"</code></pre>`,
    key: html`<p>${t('Copy the email address and the API key of the bot.')}</p>`,
    slack: html`<p>${t('Put the URL for messages in the format of Slack together:')}</p>
<pre><code>${url}/api/v1/external/slack_incoming?api_key=KEY&amp;stream=CHANNEL</code></pre>`,
  }[connection],
]

const strong = (content: Html): Html => html`<strong>${content}</strong>`
const code = (content: Html): Html => html`<code>${content}</code>`

/** Returns the first message that the sample of an integration makes, and its kind of event. */
export function sampleMessage({ sample, ...integration }: Integration): { topic: string; html: string; event: string } {
  const headers = new Map(Object.entries(sample.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  const [message] = integration.toMessages(sample.payload, {
    topic: undefined,
    header: (name) => headers.get(name.toLowerCase()),
    param: () => undefined,
    wantsBranch: () => true,
    ignoresPrivate: false,
  })
  if (message === undefined) throw new Error(`The sample of ${integration.name} makes no message`)
  const { topic, content, event } = message
  return { topic, html: markdownToHtml(content.markdown), event }
}
