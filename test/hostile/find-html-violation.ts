import { FORMULA_CLASSES } from '#markdown/renderers/formula.ts'

const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['class', 'data-id', 'data-stream-id', 'href', 'title'],
  div: ['aria-hidden', 'class', 'data-code-language'],
  img: ['alt', 'class', 'data-animated', 'data-original-content-type', 'data-original-dimensions', 'src', 'title'],
  ol: ['start'],
  span: ['aria-hidden', 'aria-label', 'class', 'data-user-group-id', 'data-user-id', 'role', 'style', 'title'],
  td: ['style'],
  th: ['style'],
  time: ['datetime'],
  video: ['preload', 'src'],
}
const PLAIN = new Set(
  'blockquote br code del em h1 h2 h3 h4 h5 h6 hr li p pre strong table tbody thead tr ul'.split(' '),
)
/** The elements of formulas, apart from spans. */
const FORMULA = new Set(
  (
    'math semantics annotation mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mpadded mphantom mover munder ' +
    'munderover msub msup msubsup mtable mtr mtd menclose svg path line'
  ).split(' '),
)
const FORMULA_ATTRIBUTES = new Set(
  (
    'xmlns encoding d aria-hidden display mathvariant lspace rspace stretchy separator fence accent accentunder minsize ' +
    'maxsize scriptlevel displaystyle columnalign rowspacing columnspacing columnlines rowlines linethickness notation ' +
    'width height depth voffset side movablelimits symmetric viewBox preserveAspectRatio x1 y1 x2 y2 stroke-width'
  ).split(' '),
)
const VOID = new Set(['br', 'hr', 'img'])

const CLASSES: Readonly<Record<string, RegExp>> = {
  a: /^(?:stream|stream-topic|message-link|message_embed_image)$/,
  div: /^(?:codehilite|spoiler-block|spoiler-header|spoiler-content|(?:(?:youtube|embed)-video )?message_inline_image(?: message_inline_video)?|data-container|message_embed(?:_title|_description)?)$/,
  img: /^emoji$/,
  span: /^(?:(?:user-mention(?: channel-wildcard-mention)?|topic-mention|user-group-mention)(?: silent)?|emoji emoji-[0-9a-f-]+|timestamp-error|tex-error|[a-z][a-z0-9]{0,2})$/,
}
const VALUES: Readonly<Record<string, RegExp>> = {
  href: /^(?:https?:\/\/|ftp:\/\/|mailto:|bitcoin:|#|\/(?![/\\])|user_uploads\/)/,
  src: /^\/(?![/\\])/,
  preload: /^metadata$/,
  role: /^img$/,
  'aria-hidden': /^true$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z$/,
  start: /^\d+$/,
}
const BACKGROUND = /^background-image: url\("\/external_content\/[0-9a-f/]+"\)$/
const CELL_STYLE = /^text-align: (?:left|center|right);$/
const LENGTH =
  /^(?:height|min-width|width|top|bottom|left|vertical-align|margin-(?:left|right|top)|padding-left|border-(?:bottom-|right-|top-)?width):-?[0-9.]+em$/
const COLOUR = /^(?:(?:color|background-color|border-color):)?(?:#[0-9a-f]{3,8}|[a-z]{3,20})$/i
const FIXED =
  /^(?:position:relative|border-style:solid|border-right-style:(?:solid|dashed)|margin:0 -?[0-9.]+em|text-shadow:0\.02em 0\.01em 0\.04px)$/

function isDrawnStyle(style: string): boolean {
  const isAllowedHere = (declaration: string) => [LENGTH, COLOUR, FIXED].some((allowed) => allowed.test(declaration))
  return style.endsWith(';') && style.slice(0, -1).split(';').every(isAllowedHere)
}

type OpenElement = { readonly tag: string; readonly isDrawing: boolean; readonly isFormula: boolean }

/**
 * Checks HTML more strictly than any browser. Returns the first violation: something other than the listed elements,
 * attributes, classes, styles and URLs, or a wrong order of tags. Returns `null` if there is none.
 */
export function findHtmlViolation(html: string): string | null {
  const open: OpenElement[] = []
  let end = 0
  for (const { 0: all, 1: closing, 2: tag = '', 3: attributes = '', 4: ending, index } of html.matchAll(TAG)) {
    if (/[<>]/.test(html.slice(end, index))) return `stray: ${html.slice(end, index)}`
    end = index + all.length
    if (closing === '/') {
      if (open.pop()?.tag !== tag || attributes !== '') return `closed out of order: ${all}`
      continue
    }
    const parent = open.at(-1)
    const isFormula = parent?.isFormula === true || / class="katex(?:-display)?"/.test(attributes)
    const isDrawing = parent?.isDrawing === true || (isFormula && / class="katex-html"/.test(attributes))
    const self = { tag, isDrawing, isFormula }
    const violation = findTagViolation(self, attributes)
    if (violation !== null) return `${violation}: ${all}`
    if (!VOID.has(tag) && ending === '') open.push(self)
  }
  if (/[<>]/.test(html.slice(end))) return `stray: ${html.slice(end)}`
  return open.length === 0 ? null : `left open: ${open.map(({ tag }) => tag)}`
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+="[^"<>]*")*)(\/?)>/g

function findTagViolation(self: OpenElement, attributes: string): string | null {
  const { tag, isFormula } = self
  const isKnown = isFormula ? tag === 'span' || FORMULA.has(tag) : PLAIN.has(tag) || Object.hasOwn(ATTRIBUTES, tag)
  if (!isKnown) return 'element'
  const seen = new Set<string>()
  for (const [, name = '', value = ''] of attributes.matchAll(/ ([a-zA-Z0-9-]+)="([^"]*)"/g)) {
    if (seen.has(name) || !isAllowed(self, name, decode(value))) return `attribute ${name}`
    seen.add(name)
  }
  return null
}

function isAllowed({ tag, isDrawing, isFormula }: OpenElement, name: string, value: string): boolean {
  if (name === 'style' && tag === 'a') return !isFormula && BACKGROUND.test(value)
  if (name === 'style') return isDrawing ? isDrawnStyle(value) : /^t[dh]$/.test(tag) && CELL_STYLE.test(value)
  if (isFormula)
    return name === 'class'
      ? value.split(' ').every((word) => word === '' || FORMULA_CLASSES.has(word))
      : isFormulaAttribute(name, value)
  if (!ATTRIBUTES[tag]?.includes(name)) return false
  return name === 'class' ? (CLASSES[tag]?.test(value) ?? false) : (VALUES[name]?.test(value) ?? true)
}

function isFormulaAttribute(name: string, value: string): boolean {
  if (name === 'mathcolor' || name === 'mathbackground') return COLOUR.test(value)
  if (!FORMULA_ATTRIBUTES.has(name)) return false
  return name === 'xmlns'
    ? /^http:\/\/www\.w3\.org\/(?:1998\/Math\/MathML|2000\/svg)$/.test(value)
    : !value.includes(':')
}

/** Decodes the entities in an attribute value like a browser. */
function decode(value: string): string {
  if (!value.includes('&')) return value
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', colon: ':', Tab: '\t', NewLine: '\n' }
  return value.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));?/gi, (all, hex, decimal, name) => {
    if (name) return named[name] ?? all
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point)
  })
}
