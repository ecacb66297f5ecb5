import { decodeEntities, escapeHtml, type Html, html as htmlOf } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import type { QuotedText } from '#mail/render-email.ts'
import type { MessageFormat, MessageJson } from '#messages/message.ts'
import type { Realm } from '#realms/realm.ts'

/** The format of messages in notifications, which are rendered without a client. */
export const NOTIFICATION_FORMAT: MessageFormat = {
  appliesMarkdown: true,
  allowsEmptyTopic: false,
  computesGravatar: false,
  extraEmojiType: 'zulip_extra_emoji',
}

const PIECES = /<[^>]*>|[^<]+/g
const TAG = /^<(\/?)([a-z][a-z0-9]*)/
const ATTRIBUTE = /([a-z-]+)="([^"]*)"/g

const PRE = 'white-space:pre-wrap;font:14px/1.5 ui-monospace,Menlo,Consolas,monospace'

/** Elements that are kept, without their attributes. */
const KEPT = new Set(
  'blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul'.split(' '),
)
const VOID = new Set(['br', 'hr', 'img'])
/** Elements that start a new line. */
const BLOCKS = new Set('blockquote div h1 h2 h3 h4 h5 h6 hr li ol p pre table tr ul'.split(' '))

const HIDDEN = t('Open the conversation to see the spoiler content.')

/** An element whose end tag has not been read yet. */
type OpenElement = {
  name: string
  closing: string
  href: string | null
  textAt: number
  isPreview: boolean
  /** True if the whole content of the element is omitted. */
  isHidden: boolean
  /** True if text directly in the element is omitted. This keeps only the source of a formula. */
  isSilent: boolean
}

/**
 * Converts a rendered message for an email. The result loads no resources: images and previews become links, spoilers
 * stay hidden, and formulas become their source. Relative URLs are resolved against `baseUrl`.
 */
export function toMailContent(renderedContent: string, baseUrl: string): QuotedText {
  const open: OpenElement[] = []
  const linked = new Set<string>()
  let html = ''
  let text = ''
  const isSilent = () => open.at(-1)?.isSilent === true
  const write = (content: string) => {
    if (isSilent()) return
    html += escapeHtml(content)
    text += content
  }
  const newLine = () => {
    if (!isSilent() && text !== '' && !text.endsWith('\n')) text += '\n'
  }

  function begin(name: string, tag: string) {
    const attributes = readAttributes(tag)
    const classes = (attributes.get('class') ?? '').split(' ')
    if (name === 'img' || classes.includes('emoji')) write(emojiOf(attributes, classes))
    if (name === 'br') newLine()
    else if (BLOCKS.has(name)) newLine()
    if (name === 'li' && !isSilent()) text += '- '
    if ((name === 'td' || name === 'th') && !isSilent() && !text.endsWith('\n')) text += ' | '
    const isSpoiler = classes.includes('spoiler-content')
    if (isSpoiler) {
      newLine()
      if (!isSilent()) html += `<p><em>${escapeHtml(HIDDEN)}</em></p>`
      if (!isSilent()) text += `(${HIDDEN})\n`
    }
    const href = name === 'a' ? toLinkUrl(attributes.get('href') ?? '', baseUrl) : null
    if (href !== null && open.some(({ isPreview }) => isPreview)) return linkTo(href)
    if (href !== null && !isSilent()) linked.add(href)
    const element = isSilent() ? '' : opening(name, href)
    html += element
    if (VOID.has(name) || tag.endsWith('/>')) return
    const isHidden = open.at(-1)?.isHidden === true || isSpoiler || isPreview(classes) || isOmitted(name, classes)
    open.push({
      name,
      closing: element === '' ? '' : `</${name}>`,
      href,
      textAt: text.length,
      isPreview: !isSilent() && isPreview(classes),
      isHidden,
      isSilent: isHidden || (name !== 'annotation' && (isSilent() || classes.includes('katex'))),
    })
  }

  /** Adds a link to the URL instead of its preview, unless the text already links to it. */
  function linkTo(href: string) {
    if (linked.has(href)) return
    linked.add(href)
    html += `<p><a href="${escapeHtml(href)}">${escapeHtml(href)}</a></p>`
    if (text !== '' && !text.endsWith('\n')) text += '\n'
    text += `${href}\n`
  }

  function end(name: string) {
    const at = open.findLastIndex((element) => element.name === name)
    while (at >= 0 && open.length > at) close(open.pop() as OpenElement)
  }

  function close({ name, closing, href, textAt }: OpenElement) {
    html += closing
    if (isSilent()) return
    const content = text.slice(textAt)
    if (href !== null && !href.replace(/^mailto:/, '').startsWith(content)) text += ` <${href}>`
    if (BLOCKS.has(name)) newLine()
  }

  for (const piece of renderedContent.match(PIECES) ?? []) {
    const [, slash, name = ''] = TAG.exec(piece) ?? []
    if (slash === '/') end(name)
    else if (name !== '') begin(name, piece)
    else if (!piece.startsWith('<') && (piece.trim() !== '' || isInPre(open) || isBetweenWords(text)))
      write(decodeEntities(piece))
  }
  while (open.length > 0) close(open.pop() as OpenElement)
  return text.trim() === '' ? NOTHING : { html: { html } as Html, text: text.trim() }
}

const NOT_SHOWN = t('This content cannot be shown in an email.')

const NOTHING: QuotedText = { text: NOT_SHOWN, html: htmlOf`<p>${NOT_SHOWN}</p>` }

const isInPre = (open: readonly OpenElement[]) => open.some(({ name }) => name === 'pre')
const isBetweenWords = (text: string) => text !== '' && !text.endsWith('\n')

function opening(name: string, href: string | null): string {
  if (href !== null) return `<a href="${escapeHtml(href)}">`
  if (name === 'pre') return `<pre style="${PRE}">`
  return KEPT.has(name) ? `<${name}>` : ''
}

const isPreview = (classes: readonly string[]) =>
  classes.some(
    (name) => name.startsWith('message_inline') || name.startsWith('message_embed') || name.endsWith('-video'),
  )

const isOmitted = (name: string, classes: readonly string[]) => name === 'video' || classes.includes('emoji')

function emojiOf(attributes: ReadonlyMap<string, string>, classes: readonly string[]): string {
  const code = classes.find((name) => /^emoji-[0-9a-f]/.test(name))?.slice('emoji-'.length)
  if (code === undefined) return decodeEntities(attributes.get('alt') ?? '')
  return String.fromCodePoint(...code.split('-').map((point) => Number.parseInt(point, 16)))
}

/** Returns the absolute URL, or null if an email must not link to it. */
function toLinkUrl(given: string, baseUrl: string): string | null {
  const href = decodeEntities(given)
  if (!URL.canParse(href, baseUrl)) return null
  const url = new URL(href, baseUrl)
  return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
}

function readAttributes(tag: string): Map<string, string> {
  return new Map(Array.from(tag.matchAll(ATTRIBUTE), ([, name = '', value = '']) => [name, value]))
}

/** The maximum number of names in a subject. */
const MAX_NAMES = 3

/** Returns the name of the conversation for an email to the reader. */
export function conversationName({ display_recipient, subject }: MessageJson, readerId: number): string {
  if (typeof display_recipient === 'string') return `#${display_recipient} › ${subject}`
  const others = display_recipient.filter(({ id }) => id !== readerId).map(({ full_name }) => full_name)
  return t('Direct messages with {names}', { names: listNames(others) })
}

function listNames(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names
  const othersCount = names.length - shown.length
  const parts =
    othersCount > 0 ? [...shown, t('{othersCount, plural, one {# other} other {# others}}', { othersCount })] : shown
  return parts.length < 2
    ? parts.join()
    : t('{names} and {last}', { names: parts.slice(0, -1).join(', '), last: parts.at(-1) ?? '' })
}

/**
 * Returns the path of the conversation at this message in the web client. `topic` is the stored topic name, which may
 * be empty.
 */
export function conversationPath(message: MessageJson, topic: string, readerId: number): string {
  const near = `near=${message.id}`
  if (typeof message.display_recipient !== 'string') {
    const others = message.display_recipient.map(({ id }) => id).filter((id) => id !== readerId)
    return `/dm/${others.sort((a, b) => a - b).join(',')}?${near}`
  }
  return `/channels/${message.stream_id}?topic=${encodeURIComponent(JSON.stringify(topic))}&${near}`
}

/** Returns the reason why emails contain no message content; null if they contain it. */
export function contentHiddenReason(realm: Realm, isEnabledByUser: boolean): string | null {
  if (!realm.settings.message_content_allowed_in_email_notifications)
    return t('This email does not include message content because {realm} has disabled message content in emails.', {
      realm: realm.name,
    })
  return isEnabledByUser
    ? null
    : t('This email does not include message content because you have disabled message content in emails.')
}
