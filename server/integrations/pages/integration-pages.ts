import type { HttpResponse } from '#http/http-types.ts'
import { moment, renderPage } from '#http/page-html.ts'
import { page, type RealmPageCall } from '#http/pages.ts'
import { type Html, html } from '#lib/html.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import { realmAddress } from '#realms/realm.ts'
import type { Integration } from '../integration.ts'
import type { Script } from '../scripts/scripts.ts'
import {
  allEntries,
  categoryList,
  categoryName,
  type Entry,
  eventTitle,
  findEntry,
  isScript,
  sampleMessage,
  stepsAsHtml,
} from './presentation.ts'

// The public pages of integrations: a list with a search, and a page for each with its steps, its URL and a sample
// message. They work without scripts and show nothing of the organization but its name.

/** The list of all integrations. */
export const showIntegrations = page({
  route: 'GET /integrations',
  who: 'anyone here',
  handle: (call) => listPage(call, call.query.get('q')?.trim() ?? '', call.query.get('category') ?? ''),
})

/** The page of one integration. */
export const showIntegration = page({
  route: 'GET /integrations/{name}',
  who: 'anyone here',
  handle(call, { name }) {
    const entry = findEntry(name)
    return entry === null ? missingPage(call) : entryPage(call, entry)
  },
})

function listPage({ realm }: RealmPageCall, search: string, category: string): HttpResponse {
  const entries = allEntries()
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const inCategory = entries.filter((entry) => category === '' || categoryName(entry.category) === category)
  const exact = inCategory.filter((entry) => matches(entry, words))
  const found = exact.length > 0 ? exact : inCategory.filter(({ title }) => resembles(title, words.join('')))
  return renderPage({
    heading: t('Integrations'),
    organization: realm,
    isWide: true,
    content: html`<p>${t('Bring what happens elsewhere into a channel: {count} services, and anything that can send a web request.', { count: entries.length })}</p>
<form class="search" role="search" action="/integrations">
<input type="search" name="q" value="${search}" aria-label="${t('Search integrations')}" placeholder="${t('Search integrations')}">
${category !== '' && html`<input type="hidden" name="category" value="${category}">`}<button>${t('Search')}</button>
</form>
<nav class="chips" aria-label="${t('Categories')}">${chip('', t('All'), category, search)}${categoryList.map(({ name, title }) => chip(name, title, category, search))}</nav>
${found.length === 0 ? nothingFound(search) : html`<ul class="cards">${found.map(card)}</ul>`}
`,
  })
}

function matches({ name, title, summary, category }: Entry, words: readonly string[]): boolean {
  const text = `${name} ${title} ${summary} ${category}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Returns whether the text has the letters in their order, as if some were forgotten. */
function resembles(text: string, letters: string): boolean {
  let at = 0
  for (const letter of text.toLowerCase()) if (letter === letters[at]) at += 1
  return letters.length >= 3 && at === letters.length
}

function chip(name: string, title: string, chosen: string, search: string): Html {
  const query = new URLSearchParams({ ...(search !== '' && { q: search }), ...(name !== '' && { category: name }) })
  const path = query.size === 0 ? '/integrations' : `/integrations?${query}`
  return html`<a href="${path}"${name === chosen && html` aria-current="page"`}>${title}</a>`
}

const card = (entry: Entry): Html => html`<li><a href="/integrations/${entry.name}">${logoOf(entry)}
<span><b>${entry.title}</b>
<small>${entry.summary}</small></span></a></li>
`

/**
 * Colors are attributes of a picture, because pages have no styles in their markup. They are as bright as in the web
 * client, so that dark ones stay visible on dark pages.
 */
const logoOf = ({ logo: { letter, color } }: Entry): Html =>
  html`<svg class="logo" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true"><rect width="40" height="40" rx="9" fill="oklch(from ${color} 0.5 min(c, 0.11) h)"/><text x="20" y="27" text-anchor="middle" font-size="19" font-weight="700" fill="#ffffff">${letter}</text></svg>`

const nothingFound = (search: string): Html => html`<h2>${t('No integration found')}</h2>
<p>${rich('Nothing here matches “{search}”. Many services can post in the <slack>format of Slack</slack>, which works here, too, and a <shell>script</shell> can post anything.', { search, slack: linkTo('/integrations/slack_incoming'), shell: linkTo('/integrations/shell') })}</p>`

const missingPage = ({ realm }: RealmPageCall): HttpResponse =>
  renderPage({
    status: 404,
    heading: t('Integration not found'),
    organization: realm,
    content: html`<p><a href="/integrations">${t('All integrations')}</a></p>`,
  })

function entryPage(call: RealmPageCall, entry: Entry): HttpResponse {
  const { realm, settings } = call
  const { url } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  return renderPage({
    heading: entry.title,
    organization: realm,
    isWide: true,
    content: html`<p class="lead">${logoOf(entry)}<span>${entry.summary}<br><a href="/integrations?category=${categoryName(entry.category)}">${entry.category}</a></span></p>
${isScript(entry) ? scriptContent(entry, url) : webhookContent(call, entry, url)}
<p><a href="/integrations">${t('All integrations')}</a></p>
`,
  })
}

/** Renders the steps as a list. Each is HTML of our own Markdown. */
const stepList = (first: readonly Html[], steps: readonly string[]): Html =>
  html`<ol class="setup">${first.map((step) => html`<li>${step}</li>`)}${steps.map((step) => html`<li>${{ html: step }}</li>`)}</ol>
`

const scriptContent = (script: Script, url: string): Html => html`<h2>${t('Set it up')}</h2>
${stepList([], stepsAsHtml(script, url))}`

function webhookContent({ visitor, realm }: RealmPageCall, integration: Integration, url: string): Html {
  const { name, options, eventNames, verify } = integration
  const address = `${url}/api/v1/external/${name}`
  const add = `/add-integration?service=${name}`
  const path = visitor === null ? `/login/?next=${encodeURIComponent(add)}` : add
  const intro = html`<p>${t('In the chat, press “Add integration”. Choose the bot that posts, the channel and the events, and copy the URL.')}</p>
<p><a class="button" href="${path}">${visitor === null ? t('Sign in to add it to {name}', { name: realm.name }) : t('Add integration')}</a></p>`
  return html`<div class="columns"><div>
<h2>${t('Set it up')}</h2>
${stepList([intro], stepsAsHtml(integration, url))}${verify !== undefined && signatureNote(integration)}</div>
<div>${sampleOf(integration)}</div></div>
<h2>${t('The URL')}</h2>
<pre><code>${address}?api_key=KEY&amp;stream=CHANNEL</code></pre>
${parameterList(integration)}
${eventNames.length > 0 && eventList(eventNames)}
<h2>${t('Try it')}</h2>
<p>${t('This sends the event above, so that you see the message before you set the service up:')}</p>
<pre><code>${curlCommand(integration, `${address}?api_key=KEY&stream=CHANNEL`)}</code></pre>
${options.length > 0 && html`<p>${t('The parameters of this service are marked in the list above.')}</p>`}`
}

const signatureNote = ({ title }: Integration): Html =>
  html`<p class="hint">${t('{title} can sign its deliveries. If you set the same secret there and for the bot, everything without a valid signature is refused.', { title })}</p>`

function sampleOf(integration: Integration): Html {
  const { topic, html: content } = sampleMessage(integration)
  return html`<h2>${t('How it looks')}</h2>
<figure class="sample">
<figcaption>${topic || integration.title}</figcaption>
<div>${logoOf(integration)}
<div><p><b>${integration.title}</b> <span class="tag">${t('Bot')}</span></p>
${{ html: forPage(content) }}</div></div>
</figure>
`
}

/** Replaces what only the web client can show in rendered Markdown: emoji by characters, and times by readable ones. */
const forPage = (content: string): string =>
  content
    .replace(/<time datetime="([^"]*)">[^<]*<\/time>/g, (_, time: string) => moment(Date.parse(time) / 1000).html)
    .replace(
      /<span aria-label="([^"]*)" class="emoji emoji-([0-9a-f-]+)"[^>]*>[^<]*<\/span>/g,
      (_, label: string, codes: string) => {
        const characters = codes.split('-').map((code) => String.fromCodePoint(Number.parseInt(code, 16)))
        return html`<span role="img" aria-label="${label}">${characters.join('')}</span>`.html
      },
    )

function parameterList(integration: Integration): Html {
  const { options, eventNames, category, knowsPrivate } = integration
  const rows: [string, string][] = [
    ['api_key', t('The API key of the bot.')],
    ['stream', t('The name or id of the channel. Without it, the owner of the bot gets direct messages.')],
    ['topic', t('The topic of all messages. Without it, each event determines its topic.')],
  ]
  if (eventNames.length > 0)
    rows.push(
      [
        'only_events',
        t('Only these events, such as ["{event}"]; * matches any text.', {
          event: sampleMessage(integration).event,
        }),
      ],
      ['exclude_events', t('All events but these.')],
    )
  if (category === 'Version control')
    rows.push(['branches', t('The branches, separated by commas, whose pushes are posted.')])
  if (knowsPrivate) rows.push(['ignore_private_repositories', t('“true” to post nothing of private repositories.')])
  return html`<dl>${rows.map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${text}</dd>`)}${options.map(
    ({ name, label }) =>
      html`<dt><code>${name}</code></dt><dd>${label.replaceAll('`', '')} <span class="tag">${t('only here')}</span></dd>`,
  )}</dl>`
}

const eventList = (names: readonly string[]): Html => html`<h2>${t('Events')}</h2>
<ul class="events">${names.map((name) => html`<li>${eventTitle(name)} <code>${name}</code></li>`)}</ul>
`

/** Returns a command that sends the sample. Quotes in it are those of a shell. */
function curlCommand({ sample: { headers = {}, payload }, isForm }: Integration, address: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  return [
    `curl ${quoted(address)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(isForm
      ? Object.entries(payload).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
      : [`--json ${quoted(JSON.stringify(payload, null, 2))}`]),
  ].join(' \\\n  ')
}
