import katex from 'katex'
import { FORMULA_CLASSES } from './formula-classes.ts'
import type { Markup } from './markup.ts'

const ELEMENTS = new Set(
  (
    'span math semantics annotation mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle mpadded mphantom ' +
    'mover munder munderover msub msup msubsup mtable mtr mtd mlabeledtr menclose svg path line'
  ).split(' '),
)

const WORDS = /^[\w .,%()+-]*$/
const NAMESPACES = /^http:\/\/www\.w3\.org\/(?:1998\/Math\/MathML|2000\/svg)$/

/** A color that KaTeX accepts. */
const COLOR = '(?:#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,20})'

/** The allowed values of each attribute; other attributes are removed. */
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  xmlns: NAMESPACES,
  encoding: /^application\/x-tex$/,
  d: /^[\sMLHVCSQTAZ0-9.,+-]*$/i,
  mathcolor: new RegExp(`^${COLOR}$`),
  mathbackground: new RegExp(`^${COLOR}$`),
  ...Object.fromEntries(
    (
      'aria-hidden display mathvariant lspace rspace stretchy separator fence accent accentunder minsize maxsize ' +
      'scriptlevel displaystyle columnalign rowspacing columnspacing columnlines rowlines linethickness notation width ' +
      'height depth voffset side movablelimits symmetric viewBox preserveAspectRatio x1 y1 x2 y2 stroke-width'
    )
      .split(' ')
      .map((name) => [name, WORDS]),
  ),
}

/** The elements that may have a style. They occur inside `span.katex-html`; elements of MathML have no styles. */
const DRAWN = new Set(['span', 'svg'])

/** All style declarations that KaTeX uses: lengths, colors and a few fixed values. */
const DECLARATION = new RegExp(
  `^(?:${[
    '(?:height|min-width|width|top|bottom|left|vertical-align|margin-(?:left|right|top)|padding-left):-?[0-9.]+em',
    'border-(?:bottom-|right-|top-)?width:-?[0-9.]+em',
    `(?:color|background-color|border-color):${COLOR}`,
    'position:relative',
    'border-style:solid',
    'border-right-style:(?:solid|dashed)',
    'margin:0 -?[0-9.]+em',
    'text-shadow:0\\.02em 0\\.01em 0\\.04px',
  ].join('|')})$`,
)

const PART = /<(\/?)([a-zA-Z]+)((?: [a-zA-Z-]+="[^"<>]*")*)(\/?)>|[^<>]+/gy

/**
 * Renders a TeX formula as MathML and as HTML; null if it is invalid. Commands that load or link to addresses are not
 * executed.
 */
export function formulaToHtml(source: string, isDisplay: boolean): Markup | null {
  const options = {
    displayMode: isDisplay,
    throwOnError: true,
    strict: 'ignore',
    trust: false,
    maxExpand: 500,
  } as const
  try {
    return onlyAllowed(withSilentConsole(() => katex.renderToString(source, options)))
  } catch (error) {
    // Formulas that are nested too deeply overflow the stack.
    if (error instanceof katex.ParseError || error instanceof RangeError) return null
    throw error
  }
}

const LOUD = ['log', 'warn', 'error'] as const

/**
 * Runs `job` without console output. KaTeX writes unknown characters and the content of `\message` to the console, but
 * user content must not be logged.
 */
function withSilentConsole<Result>(job: () => Result): Result {
  const { log, warn, error } = console
  for (const name of LOUD) console[name] = () => {}
  try {
    return job()
  } finally {
    Object.assign(console, { log, warn, error })
  }
}

/** Returns the HTML with only the allowed attributes; null if it contains an element that formulas do not use. */
function onlyAllowed(html: string): Markup | null {
  let allowed = ''
  PART.lastIndex = 0
  while (PART.lastIndex < html.length) {
    const match = PART.exec(html)
    if (match === null) return null
    const [all, closing = '', tag, attributes = '', ending = ''] = match
    if (tag === undefined) allowed += all
    else if (!ELEMENTS.has(tag)) return null
    else allowed += `<${closing}${tag}${onlyAllowedAttributes(tag, attributes)}${ending}>`
  }
  return allowed as Markup
}

function onlyAllowedAttributes(tag: string, attributes: string): string {
  let allowed = ''
  for (const [all, name = '', value = ''] of attributes.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)) {
    if (name === 'class') allowed += classAttribute(value)
    else if (name === 'style') allowed += DRAWN.has(tag) ? styleAttribute(value) : ''
    else if (Object.hasOwn(ATTRIBUTES, name) && ATTRIBUTES[name]?.test(value)) allowed += all
  }
  return allowed
}

function classAttribute(classes: string): string {
  const known = classes.split(' ').filter((name) => FORMULA_CLASSES.has(name))
  return ` class="${known.join(' ')}"`
}

function styleAttribute(style: string): string {
  const allowed = style.split(';').filter((declaration) => DECLARATION.test(declaration))
  return allowed.length === 0 ? '' : ` style="${allowed.map((declaration) => `${declaration};`).join('')}"`
}
