/**
 * The languages that consist of text with markup or commands. Words and symbols in such text have no special meaning.
 */
export const PLAIN_LANGUAGES: ReadonlySet<string> = new Set(
  (
    'xml markdown diff plaintext asciidoc http properties ini yaml makefile dockerfile bash shell dos handlebars twig ' +
    'django accesslog csp dns ebnf abnf bnf gherkin haml leaf nestedtext nginx apache profile python-repl node-repl ' +
    'julia-repl erlang-repl routeros subunit tap vim css scss less stylus'
  ).split(' '),
)

/** Pygments' classes for the highlighter's scopes, by the first word of each scope; '' for uncolored scopes. */
const CLASSES: Readonly<Record<string, string>> = {
  ...{ keyword: 'k', built_in: 'nb', type: 'kt', literal: 'kc', operator: 'o', punctuation: 'p', property: 'na' },
  ...{ regexp: 'sr', subst: 'si', symbol: 'ss', title: 'nf', doctag: 'cs', section: 'gh', tag: 'nt', name: 'nt' },
  ...{ attr: 'na', attribute: 'na', variable: 'nv', emphasis: 'ge', strong: 'gs', addition: 'gi', deletion: 'gd' },
  ...{ 'selector-tag': 'nt', 'selector-id': 'nn', 'selector-class': 'nc', 'selector-attr': 'na' },
  ...{ 'selector-pseudo': 'nd', 'template-variable': 'nv', 'template-tag': 'cp', meta: 'cp', link: 's', code: 's' },
}

/** The classes of scopes that also depend on the second word. */
const SPECIAL: Readonly<Record<string, string>> = {
  'title class_': 'nc',
  'title function_': 'nf',
  'char escape_': 'se',
  'variable language_': 'bp',
  'variable constant_': 'no',
}

/** Returns the class of `text` in a scope such as `hljs-title class_`; '' if it has none. */
export function classOf(scope: string, text: string, language: string): string {
  const names = scope.replaceAll('hljs-', '')
  const special = SPECIAL[names]
  if (special !== undefined) return special
  const [name = ''] = names.split(' ', 1)
  // The code counts as PHP from the start, so opening tags are not highlighted.
  if (name === 'meta' && language === 'php') return ''
  if (name === 'string') return stringClass(text)
  if (name === 'number') return numberClass(text)
  if (name === 'comment') return /^(?:\/\*|<!--|\{-|\(\*)/.test(text) ? 'cm' : 'c1'
  return CLASSES[name] ?? ''
}

function stringClass(text: string): string {
  if (text.startsWith("'")) return 's1'
  return text.startsWith('"') ? 's2' : 's'
}

function numberClass(text: string): string {
  if (/^0x/i.test(text)) return 'mh'
  if (/^0b/i.test(text)) return 'mb'
  if (/^0o/i.test(text)) return 'mo'
  return /[.e]/i.test(text) ? 'mf' : 'mi'
}

const SIGNS = /([\p{L}_$][\p{L}\p{N}_$]*)|([=+\-*/%<>!?&|^~@]+)|([()[\]{},;:.]+)/u

/** Splits code that the highlighter leaves plain into names, operators and punctuation. */
export function splitPlain(text: string, language: string): { text: string; className: string }[] {
  if (language === 'latex') {
    return text.split(/([{}[\]]+)/).map((part, at) => ({ text: part, className: at % 2 === 1 ? 'nb' : '' }))
  }
  const found: { text: string; className: string }[] = []
  const parts = text.split(SIGNS)
  for (let at = 0; at < parts.length; at += 4) {
    const [plain = '', name = '', operator = '', punctuation = ''] = parts.slice(at, at + 4)
    found.push({ text: plain, className: '' }, { text: name, className: language === 'php' ? 'nx' : 'n' })
    found.push({ text: operator, className: 'o' }, { text: punctuation, className: 'p' })
  }
  return found
}
