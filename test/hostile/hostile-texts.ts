/** Generates content of any length that is expensive to render. */
export type HostileTextFamily = { readonly name: string; readonly write: (size: number) => string }

const repeats = (units: readonly string[]): HostileTextFamily[] =>
  units.map((unit) => ({ name: JSON.stringify(unit), write: (size) => unit.repeat(Math.ceil(size / unit.length)) }))

/** Repeats the unit between a beginning and an end, such as a code fence. */
const within = (begin: string, unit: string, end = ''): HostileTextFamily => ({
  name: JSON.stringify(`${begin}${unit}…${end}`),
  write: (size) => begin + unit.repeat(Math.ceil(size / unit.length)) + end,
})

const emphasis = repeats(['*', '**', '***a', '*a ', '**a ', '**a** *b* ', '~~a', '~~a~~', '_', '^*'])
const codeSpans = repeats(['`', '`a', '``a`', '\\`', '`a` '])
const links = repeats([
  ...['[', '](', '[a](', '[a](b ', '[a](b "', '[a](b) ', '![', '[`a`', '[a](b (c', "[a](b 'c"],
  ...['http://', 'http://a/(', ',http://a/()"x', ' http://a/', 'a.b,', 'a.', 'a@', 'a@b.', 'a.com ', '(', 'bitcoin:1'],
])
const characters = repeats(['<', '&', '&#', '&amp;', '\\$', '\n', ' ', '\t', 'a\n', 'a', '\u0301'])
const times = repeats(['<time:', '<time:1>', '<time:1 Jan 2000> '])
const emoji = repeats([':', ':a', ':a:', ':smile:', ':)', '🙂', '👩‍👩‍👧', '\u200d', '0️⃣'])
const mentions = repeats([
  '@',
  '@**',
  '@**a',
  '@**a|1** ',
  '@_**a** ',
  '@*a* ',
  '#**',
  '#**a** ',
  '#**a>b** ',
  '#**a>b@1** ',
])
const linkified = repeats(['#1 ', '#1,', '#', '(#1'])
const formulas = [
  ...repeats(['$$', '$$a', '$$a$$ ', '$$\\']),
  within('$$', 'x_1+', 'x$$'),
  within('$$', '{', '$$'),
  within('~~~math\n', '\\frac12', '\n~~~'),
  within('~~~math\n', 'a\n\n', '\n~~~'),
  within('~~~math\n\\begin{matrix}', 'a&b\\\\', '\\end{matrix}\n~~~'),
]
const fencedCode = [
  ...repeats(['```\n', '```js\na\n```\n', '    a\n\nb\n']),
  within('```js\n', '/', '\n```'),
  within('```js\n', 'a(`${', '\n```'),
  within('```python\n', 'f"{', '\n```'),
  within('```python\n', 'def a(b):\n', '```'),
  within('```html\n', '<a b="', '\n```'),
  within('```json\n', '[{"a":', '\n```'),
  within('```css\n', 'a{b:', '\n```'),
  within('```bash\n', '$(', '\n```'),
  within('```c\n', '/* ', '\n```'),
  within('```\n#!', '1', '!\n```'),
  within('```java\n', 'Aa', '\n```'),
  within('```toml\n', '-', '\n```'),
  within('```csharp\n', 'a ', '\n```'),
  within('```fsharp\na', '\n', 'b\n```'),
  within('```markdown\n', '[a', '\n```'),
]
const quotes = repeats(['> ', '>', '>\n', '> a\n', '> a\n\n', '```quote\n', '> ```quote\n'])
const lists = repeats(['- ', '- a\n', '- a\n\n', '1. a\n', '- > ', '> - a\n', '* a\n  * b\n'])
const spoilers = repeats(['~~~ spoiler\n', '```spoiler a\nb\n```\n', '```spoiler `a\n'])
const otherBlocks = repeats(['# ', '# a\n', '---\n'])
const tables = repeats(['|', '|a', '|a|\n|-|\n', '-|\n', '|a|\n|-|\n|b|\n\n'])

/** Text whose parts differ. */
const combined: HostileTextFamily[] = [
  { name: 'opening brackets, then closing brackets', write: (size) => '['.repeat(size / 2) + ']'.repeat(size / 2) },
  { name: 'opening stars, then closing stars', write: (size) => `${'*'.repeat(size / 2)}a${'*'.repeat(size / 2)}` },
  { name: 'parentheses after a label', write: (size) => `[a]${'('.repeat(size / 2)}${')'.repeat(size / 2)}` },
  {
    name: 'a deep quote with lazy continuation lines',
    write: (size) => `${'>'.repeat(50)}a\n${'b\n'.repeat(size / 2)}`,
  },
  {
    name: 'a deep list with lazy continuation lines',
    write: (size) => `${'- '.repeat(50)}a\n${'b\n'.repeat(size / 2)}`,
  },
  {
    name: 'a wide table with short rows',
    write: (size) => `${'|a'.repeat(size / 5)}\n${'|-'.repeat(size / 5)}\n${'|\n'.repeat(size / 10)}`,
  },
  { name: 'a table of code', write: (size) => `|a|b|\n|-|-|\n|${'`|`'.repeat(size / 3)}` },
  { name: 'an invalid table separator', write: (size) => `|a\n${'-'.repeat(size)}x` },
  {
    name: 'backtick runs of all lengths',
    write: (size) => Array.from({ length: Math.sqrt(2 * size) }, (_, length) => '`'.repeat(length)).join(' '),
  },
  { name: 'a fence line of spaces', write: (size) => `\`\`\`${' '.repeat(size)}\`` },
  { name: 'a title of spaces', write: (size) => `[a](b${' '.repeat(size)}"` },
  { name: 'a host of dots', write: (size) => `a@${'a.'.repeat(size / 2)}!` },
  { name: 'deeply nested lists', write: (size) => nestedList(Math.sqrt(size)) },
]

const nestedList = (depth: number) => Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}- a\n`).join('')

export const hostileFamilies: readonly HostileTextFamily[] = [
  ...[...emphasis, ...codeSpans, ...links, ...characters, ...times, ...emoji, ...mentions, ...linkified],
  ...[...formulas, ...fencedCode, ...quotes, ...lists, ...spoilers, ...otherBlocks, ...tables, ...combined],
]
