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
