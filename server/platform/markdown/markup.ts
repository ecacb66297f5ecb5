import { escapeHtml } from '../encoding/html.ts'

/** Every element and attribute that a rendered message can hold; anything else does not compile. */
export type Tag =
  | 'a'
  | 'blockquote'
  | 'br'
  | 'code'
  | 'del'
  | 'div'
  | 'em'
  | 'h1'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'hr'
  | 'img'
  | 'li'
  | 'ol'
  | 'p'
  | 'pre'
  | 'span'
  | 'strong'
  | 'table'
  | 'tbody'
  | 'td'
  | 'th'
  | 'thead'
  | 'time'
  | 'tr'
  | 'ul'
  | 'video'
type Attribute =
  | 'alt'
  | 'aria-hidden'
  | 'aria-label'
  | 'class'
  | 'data-animated'
  | 'data-code-language'
  | 'data-original-content-type'
  | 'data-original-dimensions'
  | 'data-stream-id'
  | 'data-user-group-id'
  | 'data-user-id'
  | 'datetime'
  | 'href'
  | 'preload'
  | 'role'
  | 'src'
  | 'start'
  | 'style'
  | 'title'
type Attributes = Partial<Record<Attribute, string>>

declare const safe: unique symbol
/** Markup made by this module, or put together from such: text gets in only escaped. */
export type Markup = string & { readonly [safe]: true }

/** Text as people wrote it: entities (`&nbsp;`) keep their meaning, everything else stands for itself. */
export function fromText(text: string): Markup {
  return text.replace(MARKUP_IN_TEXT, escapeCharacter) as Markup
}

/** Text in which entities too stand for themselves. */
export function fromCode(text: string): Markup {
  return text.replace(/[&<>]/g, escapeCharacter) as Markup
}

/** As `fromCode`, quotes included. */
export function fromCodeBlock(text: string): Markup {
  return escapeHtml(text) as Markup
}

export function startTag(tag: Tag, attributes: Attributes = {}): Markup {
  let html = `<${tag}`
  for (const [name, value] of Object.entries(attributes)) html += ` ${name}="${escapeAttribute(value)}"`
  return `${html}>` as Markup
}

export function endTag(tag: Tag): Markup {
  return `</${tag}>` as Markup
}

export function element(tag: Tag, attributes: Attributes, content: Markup): Markup {
  return joinMarkup(startTag(tag, attributes), content, endTag(tag))
}

export function joinMarkup(...parts: Markup[]): Markup {
  // Adding costs nothing until the whole is read; joining an array would copy what there is each time.
  return parts.reduce((html, part) => html + part, '') as Markup
}

export const newline = '\n' as Markup
export const nothing = '' as Markup

const MARKUP_IN_TEXT = /[<>]|&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeCharacter(character: string): string {
  return ESCAPES[character] ?? character
}

/** `&amp;` stays, as in text; any other entity loses its meaning, so that none can spell a scheme. */
function escapeAttribute(value: string): string {
  return value.replace(/[<>"]|&(?!amp;)/g, escapeCharacter)
}
