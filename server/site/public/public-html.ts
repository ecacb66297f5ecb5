import type { Channel } from '#channels/channel.ts'
import { displayTopic } from '#channels/topic.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { assetUrl } from '#http/page-html.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import { type Html, html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import type { MessageJson } from '#messages/message.ts'
import type { PublicMessages, PublicTopic } from '#messages/public-messages.ts'
import { emojiUrl, extraEmojiUrl, type RealmEmoji } from '#realms/emoji.ts'
import { type Realm, realmAddress, realmPictureUrl } from '#realms/realm.ts'
import { firstWords, toCharacters, toPublicContent } from './public-content.ts'

/** A page for people without an account, as it is kept in the cache. */
export type PublicPage = { status: number; body: string; isIndexed: boolean }

/** The parts of a page that all pages have. */
export type Frame = {
  realm: Realm
  externalUrl: string
  channels: readonly Channel[]
}

/** The address of the list of all open channels. */
export const PUBLIC_PATH = '/public/'

export function conversationPath(channelId: number, topic?: string, position: Record<string, number> = {}): string {
  const search = new URLSearchParams()
  if (topic !== undefined) search.set('topic', topic)
  for (const [name, value] of Object.entries(position)) search.set(name, String(value))
  return `/channels/${channelId}${search.size === 0 ? '' : `?${search}`}`
}

const loginPath = (next: string) => `/login/?next=${encodeURIComponent(next)}`

type Content = {
  status?: number
  /** The title in the window and in previews, without the organization. */
  title: string
  heading: Html
  /** The first words in previews of links. */
  summary: Html
  /** The address of the page, without the server. */
  path: string
  /** The address in the web client, if it is another one. */
  next?: string
  /** True if search engines should list another address instead. */
  isDuplicate?: boolean
  /** The page above this one. */
  back: { path: string; label: string } | null
  main: Html
  /** The open channel, and its topics beside the list of channels. */
  channel?: Channel | undefined
  topics?: readonly PublicTopic[]
  topic?: string
}

const MAX_SUMMARY = 200

/** Renders a page without scripts: the open channels at the side, the content, and a bar that leads to the login page. */
function renderPublic({ realm, externalUrl, channels }: Frame, content: Content): PublicPage {
  const { status = 200, title, heading, summary, path, next = path, isDuplicate = false, back, main } = content
  const url = realmAddress(realm.subdomain, externalUrl).url
  const description =
    summary.html === '' ? html`${t('Public channels of {organization}', { organization: realm.name })}` : summary
  const isIndexed = status === 200 && !isDuplicate && realm.settings.allow_search_engines
  const { html: body } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${realm.name}</title>
${!isIndexed && html`<meta name="robots" content="noindex">\n`}<link rel="canonical" href="${url}${path}">
<meta name="description" content="${description}">
<meta property="og:site_name" content="${realm.name}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}${path}">
<meta property="og:image" content="${url}${realmPictureUrl(realm, 'icon')}">
<meta name="twitter:card" content="summary">
<link rel="icon" href="/json/realm/icon">
${(['tokens.css', 'font.css', 'messages.css', 'public.css'] as const).map((name) => html`<link rel="stylesheet" href="${assetUrl(name)}">\n`)}</head>
<body>
<nav class="side" aria-label="${t('Public channels')}">
<a class="organization" href="${PUBLIC_PATH}">${mark(realm)}<span>${realm.name}</span></a>
<ul>
${channels.map((channel) => channelRow(channel, content))}</ul>
</nav>
<div class="page">
<header>
${back !== null && html`<a class="back" href="${back.path}" aria-label="${t('Back to {page}', { page: back.label })}">‹</a>\n`}<h1>${heading}</h1>
<a class="button button-primary" href="${loginPath(next)}">${t('Sign in')}</a>
</header>
<main>
${main}</main>
<footer><a href="${loginPath(next)}">${t('Sign in to reply')}</a></footer>
</div>
</body>
</html>
`
  return { status, body, isIndexed }
}

function mark({ name, pictures }: Realm): Html {
  return pictures.icon === undefined
    ? html`<span class="mark" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>`
    : html`<img class="mark" src="/json/realm/icon" alt="">`
}

function channelRow(channel: Channel, { channel: shown, topics = [], topic }: Content): Html {
  const isShown = channel.id === shown?.id
  return html`<li><a href="${conversationPath(channel.id)}"${isShown && topic === undefined && html` aria-current="page"`}><span aria-hidden="true">#</span> ${channel.name}</a>
${
  isShown &&
  topics.length > 0 &&
  html`<ul>
${topics.map(
  ({ name }) =>
    html`<li><a href="${conversationPath(channel.id, name)}" dir="auto"${name === topic && html` aria-current="page"`}>${displayTopic(name, false)}</a></li>\n`,
)}</ul>
`
}</li>
`
}

/** Returns the headers of a page. It may be kept, but is requested again each time, because it can be closed at any time. */
export function toResponse({ status, body, isIndexed }: PublicPage): HttpResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-cache',
      'content-security-policy': CONTENT_POLICIES.publicPage,
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      ...(!isIndexed && { 'x-robots-tag': 'noindex' }),
    },
    body,
  }
}

export function channelsPage(frame: Frame, description: Html): PublicPage {
  const { realm, channels } = frame
  return renderPublic(frame, {
    title: t('Public channels'),
    heading: html`${t('Public channels')}`,
    summary: firstWords(description, MAX_SUMMARY),
    path: PUBLIC_PATH,
    next: '/',
    back: null,
    main: html`<div class="message-content about">${description}</div>
${
  channels.length === 0
    ? html`<p class="quiet">${t('{organization} has no public channels.', { organization: realm.name })}</p>\n`
    : html`<ul class="list">
${channels.map(
  (channel) =>
    html`<li><a href="${conversationPath(channel.id)}"># ${channel.name}</a><div class="message-content quiet">${{ html: channel.renderedDescription }}</div></li>\n`,
)}</ul>
`
}`,
  })
}

type Topics = { topics: readonly PublicTopic[]; page: number; pages: number }

export function channelPage(frame: Frame, channel: Channel, { topics, page, pages }: Topics): PublicPage {
  const at = (number: number) => conversationPath(channel.id, undefined, number === 1 ? {} : { page: number })
  return renderPublic(frame, {
    title: `#${channel.name}`,
    heading: html`# ${channel.name}`,
    summary: firstWords({ html: channel.renderedDescription }, MAX_SUMMARY),
    path: at(page),
    back: { path: PUBLIC_PATH, label: t('Public channels') },
    channel,
    main: html`<div class="message-content about">${{ html: channel.renderedDescription }}</div>
${
  topics.length === 0
    ? html`<p class="quiet">${t('No messages yet.')}</p>\n`
    : html`<ul class="list topics">
${topics.map(
  ({ name, newestAt }) =>
    html`<li><a href="${conversationPath(channel.id, name)}" dir="auto">${displayTopic(name, false)}</a>${time(newestAt, DAY)}</li>\n`,
)}</ul>
`
}${pages > 1 && html`<nav class="pages">${page > 1 && html`<a href="${at(page - 1)}" rel="prev">${t('Newer topics')}</a>`}${page < pages && html`<a href="${at(page + 1)}" rel="next">${t('Older topics')}</a>`}</nav>\n`}`,
  })
}

type Topic = {
  channel: Channel
  topic: string
  topics: readonly PublicTopic[]
  found: PublicMessages
  emoji: readonly RealmEmoji[]
  /** The parameters of the page that shows these messages. */
  position: Record<string, number>
}

export function topicPage(frame: Frame, { channel, topic: given, topics, found, emoji, position }: Topic): PublicPage {
  const { messages, hasOlder, hasNewer } = found
  const [first, last] = [messages[0], messages.at(-1)]
  // Topics are found in any case.
  const topic = first?.subject ?? given
  const shown = displayTopic(topic, false)
  return renderPublic(frame, {
    ...(first === undefined && { status: 404 }),
    title: `#${channel.name} › ${shown}`,
    heading: html`<a href="${conversationPath(channel.id)}"># ${channel.name}</a> <span aria-hidden="true">›</span> <b dir="auto">${shown}</b>`,
    summary: first === undefined ? html`` : firstWords(toPublicContent(first.content), MAX_SUMMARY),
    path: conversationPath(channel.id, topic, position),
    next: conversationPath(channel.id, topic, position['at'] === undefined ? {} : { near: position['at'] }),
    isDuplicate: position['at'] !== undefined,
    back: { path: conversationPath(channel.id), label: `#${channel.name}` },
    channel,
    topics,
    topic,
    main: html`${first === undefined && html`<p class="quiet">${t('This topic has no messages.')}</p>\n`}${
      hasOlder &&
      first !== undefined &&
      html`<nav class="pages"><a href="${conversationPath(channel.id, topic, { before: first.id })}" rel="prev">${t('Older messages')}</a></nav>\n`
    }${messages.map((message, at) => messageRow(message, messages[at - 1], emoji))}${
      hasNewer &&
      last !== undefined &&
      html`<nav class="pages"><a href="${conversationPath(channel.id, topic, { after: last.id })}" rel="next">${t('Newer messages')}</a></nav>\n`
    }`,
  })
}

/** Messages of the same sender within this many seconds have one heading. */
const SAME_HEADING = 600

const SECONDS_PER_DAY = 86_400

function messageRow(message: MessageJson, previous: MessageJson | undefined, emoji: readonly RealmEmoji[]): Html {
  const { id, sender_full_name: name, is_me_message: isMe } = message
  const isNewDay = dayOf(message) !== (previous && dayOf(previous))
  const isContinued =
    !isNewDay &&
    !isMe &&
    previous?.sender_id === message.sender_id &&
    message.timestamp - previous.timestamp < SAME_HEADING
  const content = toPublicContent(isMe ? message.content.replace('<p>/me ', '<p>') : message.content)
  return html`${isNewDay && html`<h2 class="day">${time(message.timestamp, DAY)}</h2>\n`}<article id="m${id}" class="row${isMe && ' message-me'}"${isContinued && html` data-continued`}>
${
  !isContinued &&
  html`${avatar(message)}<h3><span dir="auto">${name}</span> <a href="${messagePath(message)}">${time(message.timestamp, HOUR)}</a></h3>
`
}<div class="message-content" dir="auto">${content}</div>
${reactionList(message, emoji)}${message.last_edit_timestamp !== undefined && html`<p class="quiet">${t('Edited')}</p>\n`}</article>
`
}

const dayOf = ({ timestamp }: MessageJson) => Math.floor(timestamp / SECONDS_PER_DAY)

const messagePath = ({ id, stream_id, subject }: MessageJson) => conversationPath(stream_id ?? 0, subject, { near: id })

/** The hues of avatars, as in the web client. */
const [HUES, HUE_STEP] = [12, 5]

function avatar({ sender_id: id, sender_full_name: name, avatar_url: url }: MessageJson): Html {
  const words = name.trim().split(/\s+/)
  const initials = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => [...(word ?? '')][0] ?? '').join('')
  return html`<span class="avatar" data-hue="${(id * HUE_STEP) % HUES}" aria-hidden="true">${
    url?.startsWith('/') ? html`<img src="${url}" alt="" loading="lazy">` : initials.toUpperCase()
  }</span>
`
}

/** The reactions with their numbers. They do not say whose they are. */
function reactionList({ reactions }: MessageJson, emoji: readonly RealmEmoji[]): Html | null {
  if (reactions.length === 0) return null
  const groups = Map.groupBy(reactions, ({ reaction_type, emoji_code }) => `${reaction_type} ${emoji_code}`)
  return html`<ul class="reactions" aria-label="${t('Reactions')}">
${Array.from(groups.values(), (group) => {
  const [{ emoji_name: name, emoji_code: code, reaction_type: type }] = group as [MessageJson['reactions'][0]]
  return html`<li title=":${name}:">${emojiHtml(type, code, name, emoji)} ${group.length}</li>\n`
})}</ul>
`
}

function emojiHtml(type: string, code: string, name: string, emoji: readonly RealmEmoji[]): Html {
  if (type === 'unicode_emoji')
    return html`<span class="emoji" role="img" aria-label="${name}">${toCharacters(code)}</span>`
  const custom = emoji.find((each) => String(each.id) === code)
  const url = type === 'realm_emoji' ? custom && emojiUrl(custom) : extraEmojiUrl(name)
  return url === undefined ? html`:${name}:` : html`<img class="emoji" src="${url}" alt="${name}">`
}

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' })
const HOUR = new Intl.DateTimeFormat('en', { timeStyle: 'short', timeZone: 'UTC' })

/** Renders a time in UTC, because the server does not know the time zone of the reader. */
function time(at: number, format: Intl.DateTimeFormat): Html {
  const date = new Date(at * 1000)
  const iso = date.toISOString()
  return html`<time datetime="${iso}" title="${iso.slice(0, 16).replace('T', ' ')} UTC">${format.format(date)}</time>`
}
