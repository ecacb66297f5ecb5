/** Elements that are allowed in messages: the elements of the server's renderer and of formulas. */
export const ALLOWED_TAGS: ReadonlySet<string> = new Set(
  [
    'a blockquote br code del div em h1 h2 h3 h4 h5 h6 hr img li ol p pre span strong',
    'table tbody td th thead time tr ul video',
    'annotation math mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd',
    'mtext mtr munder munderover menclose semantics svg path line',
  ]
    .join(' ')
    .split(' '),
)

/** Allowed attributes with their names in React. URLs and styles are checked separately. */
export const ALLOWED_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['alt', 'alt'],
  ['aria-hidden', 'aria-hidden'],
  ['aria-label', 'aria-label'],
  ['class', 'className'],
  ['data-code-language', 'data-code-language'],
  ['data-stream-id', 'data-stream-id'],
  ['data-user-group-id', 'data-user-group-id'],
  ['data-user-id', 'data-user-id'],
  ['mathbackground', 'mathbackground'],
  ['mathcolor', 'mathcolor'],
  ['datetime', 'dateTime'],
  ['preload', 'preload'],
  ['role', 'role'],
  ['start', 'start'],
  ['title', 'title'],
  // Formulas.
  ['accent', 'accent'],
  ['columnalign', 'columnalign'],
  ['columnspacing', 'columnspacing'],
  ['d', 'd'],
  ['depth', 'depth'],
  ['display', 'display'],
  ['displaystyle', 'displaystyle'],
  ['encoding', 'encoding'],
  ['fence', 'fence'],
  ['height', 'height'],
  ['linethickness', 'linethickness'],
  ['lspace', 'lspace'],
  ['mathvariant', 'mathvariant'],
  ['maxsize', 'maxsize'],
  ['minsize', 'minsize'],
  ['movablelimits', 'movablelimits'],
  ['notation', 'notation'],
  ['preserveaspectratio', 'preserveAspectRatio'],
  ['rowspacing', 'rowspacing'],
  ['rspace', 'rspace'],
  ['scriptlevel', 'scriptlevel'],
  ['separator', 'separator'],
  ['stretchy', 'stretchy'],
  ['stroke-width', 'strokeWidth'],
  ['viewbox', 'viewBox'],
  ['voffset', 'voffset'],
  ['width', 'width'],
  ['x1', 'x1'],
  ['x2', 'x2'],
  ['xmlns', 'xmlns'],
  ['y1', 'y1'],
  ['y2', 'y2'],
])

/** CSS properties that position the parts of formulas. None of them can load anything. */
const ALLOWED_STYLES = new Set([
  'background-color',
  'border-bottom-width',
  'border-color',
  'border-right-style',
  'border-right-width',
  'border-style',
  'border-top-width',
  'border-width',
  'bottom',
  'color',
  'height',
  'left',
  'margin',
  'margin-left',
  'margin-right',
  'margin-top',
  'min-width',
  'padding-left',
  'position',
  'text-align',
  'top',
  'vertical-align',
  'width',
])

const PLAIN_VALUE = /^[\w#.%+-]+$/
/** Matches the margins of formulas, which have two values. */
const MARGIN = /^0 -?[\d.]+em$/

/** Returns the allowed declarations of a style attribute, by the names of their properties in React. */
export function readStyle(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(';').flatMap((declaration) => {
      const [name = '', value = ''] = declaration.split(':').map((part) => part.trim())
      if (!ALLOWED_STYLES.has(name)) return []
      if (!PLAIN_VALUE.test(value) && !(name === 'margin' && MARGIN.test(value))) return []
      if (name === 'position' && value !== 'relative') return []
      return [[name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]]
    }),
  )
}

/**
 * Matches a path of this site. Browsers read a backslash as a slash and skip line breaks and tabs, so these characters
 * could hide a host.
 */
const LOCAL_PATH = /^\/(?![/\\\t\n\r])/

/** Returns the URL of a link if it is a web, mailto or local URL; null otherwise. */
export function readLink(href: string): string | null {
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) return href
  return href.startsWith('#') || LOCAL_PATH.test(href) ? href : null
}

/** Returns the URL of an image or video if it is on this site; null otherwise. */
export function readSource(src: string): string | null {
  return LOCAL_PATH.test(src) ? src : null
}

/** Returns the path of the background picture in a style attribute if this server passes it on; null otherwise. */
export function readBackground(style: string): string | null {
  return /^background-image: url\("(\/external_content\/[0-9a-f/]+)"\)$/.exec(style)?.[1] ?? null
}
