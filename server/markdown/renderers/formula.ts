import katex from 'katex'
import type { Markup } from '../markup.ts'

const WORDS = (
  'accent accent-body accent-full accentunder allowbreak amsrm angl anglpad arraycolsep base boldsymbol ' +
  'boxpad brace-center brace-left brace-right cancel-lap cancel-pad cd-arrow-pad cd-label-left ' +
  'cd-label-right cd-vert-arrow clap colorbox delim-size1 delim-size4 delimcenter delimsizing delimsizinginner eqn-num fbox ' +
  'fcolorbox fix frac-line halfarrow-left halfarrow-right hdashline hide-tail hline inner katex ' +
  'katex-display katex-html katex-mathml large-op llap mathbb mathbf mathboldfrak mathboldsf mathcal ' +
  'mathfrak mathit mathitsf mathnormal mathrm mathscr mathsf mathsfit mathtt mbin mclose mfrac minner mop ' +
  'mopen mord mover mpunct mrel mspace msupsub mtable mtight mult munder negativethinspace newline nobreak ' +
  'nulldelimiter op-limits op-symbol overlay overline overline-line pstrut rlap root rule sizing small-op ' +
  'sout sqrt stretchy strut svg-align tag text textbb textbf textboldfrak textboldsf textfrak textit ' +
  'textitsf textmd textrm textscr textsf texttt textup thinbox underline underline-line vbox ' +
  'vertical-separator vlist vlist-r vlist-s vlist-t vlist-t2 x-arrow x-arrow-pad'
).split(' ')

const SIZES = Array.from({ length: 11 }, (_, size) => [`size${size + 1}`, `reset-size${size + 1}`]).flat()
const ALIGNMENTS = ['c', 'l', 'r'].map((side) => `col-align-${side}`)
const SCRIPTS = ['armenian', 'brahmic', 'cjk', 'cyrillic', 'georgian', 'hangul', 'latin'].map(
  (name) => `${name}_fallback`,
)

/** Every class that formulas use. */
export const FORMULA_CLASSES: ReadonlySet<string> = new Set([...WORDS, ...SIZES, ...ALIGNMENTS, ...SCRIPTS])

const ELEMENTS = new Set(
  (
    'span math semantics annotation mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle mpadded mphantom ' +
    'mover munder munderover msub msup msubsup mtable mtr mtd mlabeledtr menclose svg path line'
  ).split(' '),
)

const PLAIN_VALUE = /^[\w .,%()+-]*$/
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
      .map((name) => [name, PLAIN_VALUE]),
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
