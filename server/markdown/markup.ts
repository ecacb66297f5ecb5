import { escapeHtml } from '#lib/html.ts'

// HTML of messages. A value of type Markup is made only here, from a fixed list of elements and attributes, with all
// text escaped; other elements do not compile.

/**
 * The elements that a rendered message can contain. Code that creates another element does not compile. The same is
 * true of attributes.
 */
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
  | 'data-id'
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
/** Markup created by this module; text is always escaped. */
export type Markup = string & { readonly [safe]: true }

/** Escapes user text: entities (`&nbsp;`) keep their meaning, all other characters are literal. */
export function fromText(text: string): Markup {
  return text.replace(MARKUP_IN_TEXT, escapeCharacter) as Markup
}

/** Escapes text in which entities have no meaning, such as code. */
export function fromCode(text: string): Markup {
  return text.replace(/[&<>]/g, escapeCharacter) as Markup
}

/** Like `fromCode`, but escapes quotes as well. */
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
  // String concatenation is lazy until the result is read; joining an array would copy the existing text each time.
  return parts.reduce((html, part) => html + part, '') as Markup
}

export const newline = '\n' as Markup
export const nothing = '' as Markup

const MARKUP_IN_TEXT = /[<>]|&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeCharacter(character: string): string {
  return ESCAPES[character] ?? character
}

/**
 * Escapes the value of an attribute. As in text, `&amp;` keeps its meaning. Other entities are escaped, so that they
 * cannot spell a scheme.
 */
function escapeAttribute(value: string): string {
  return value.replace(/[<>"]|&(?!amp;)/g, escapeCharacter)
}

const CHARACTERS: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }

/** Returns the text of HTML that this module has escaped. Entities that users typed stay as they are. */
export const unescapeHtml = (html: string) =>
  html.replace(/&(?:lt|gt|quot|amp);/g, (entity) => CHARACTERS[entity] ?? entity)
