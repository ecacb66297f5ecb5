import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileLinkifier } from './linkifier.ts'
import { renderMarkdown } from './render.ts'
import type { RenderScope } from './scope.ts'
import { writers } from './writers.ts'

const scope: RenderScope = {
  realmUrl: 'https://chat.example.com',
  findUserByName: (fullName) => ({ id: 1, fullName }),
  findUserById: (id) => ({ id, fullName: 'a' }),
  findGroupByName: (name) => ({ id: 1, name }),
  findChannelByName: (name) => ({ id: 1, name }),
  findCustomEmoji: () => null,
  linkifiers: [compileLinkifier({ pattern: '#(?P<id>[0-9]+)', urlTemplate: 'https://tracker.example.com/{id}' })],
  translateEmoticons: true,
  previewsMedia: true,
  images: new Map(),
  writers,
}

/** Texts that grow by repetition. */
const repeated = [
  ...[
    '*',
    '**',
    '***a',
    '*a ',
    '**a ',
    '~~a',
    '_',
    '^*',
    '`',
    '`a',
    '``a`',
    '\\`',
    '[',
    '[a](',
    '[a](b ',
    '[a](b "',
    '![',
    '](',
  ],
  ...['<', '<time:', '<time:1>', '&', '&#', ':', ':a', ':a:', ':)', '🙂', '👩‍👩‍👧', '\u200d', '0️⃣', '$$', '$$a', '\\$'],
  ...['@', '@**', '@**a', '@**a|1** ', '@*a* ', '#**', '#**a>b** ', '#1 ', '#1,'],
  ...['http://', 'http://a/(', ',http://a/()"x', ' http://a/', 'a.b,', 'a.', 'a@', 'a@b.', 'a.com ', '('],
  ...[
    '> ',
    '>',
    '>\n',
    '> a\n',
    '- ',
    '- a\n',
    '- a\n\n',
    '1. a\n',
    '- > ',
    '> - a\n',
    '# ',
    '# a\n',
    '---\n',
    '    a\n\nb\n',
  ],
  ...[
    '```\n',
    '```quote\n',
    '~~~ spoiler\n',
    '> ```quote\n',
    '|',
    '|a',
    '|a|\n|-|\n',
    '-|\n',
    '\n',
    ' ',
    '\t',
    'a\n',
    'a',
  ],
].map((unit): [string, (size: number) => string] => [unit, (size) => unit.repeat(Math.ceil(size / unit.length))])

/** Texts whose two halves differ. */
const halved: [string, (size: number) => string][] = [
  ['brackets that open, then close', (size) => '['.repeat(size / 2) + ']'.repeat(size / 2)],
  ['stars that open, then close', (size) => `${'*'.repeat(size / 2)}a${'*'.repeat(size / 2)}`],
  ['parentheses after a label', (size) => `[a]${'('.repeat(size / 2)}${')'.repeat(size / 2)}`],
  ['a deep quote that goes on without marks', (size) => `${'>'.repeat(50)}a\n${'b\n'.repeat(size / 2)}`],
  ['a deep list that goes on without marks', (size) => `${'- '.repeat(50)}a\n${'b\n'.repeat(size / 2)}`],
  [
    'a wide table with short rows',
    (size) => `${'|a'.repeat(size / 5)}\n${'|-'.repeat(size / 5)}\n${'|\n'.repeat(size / 10)}`,
  ],
  ['a table of code', (size) => `|a|b|\n|-|-|\n|${'`|`'.repeat(size / 3)}`],
  ['a separator that is none', (size) => `|a\n${'-'.repeat(size)}x`],
  [
    'backtick runs of all lengths',
    (size) => Array.from({ length: Math.sqrt(2 * size) }, (_, length) => '`'.repeat(length)).join(' '),
  ],
  ['a fence line of spaces', (size) => `\`\`\`${' '.repeat(size)}\``],
  ['a title of spaces', (size) => `[a](b${' '.repeat(size)}"`],
  ['a host of dots', (size) => `a@${'a.'.repeat(size / 2)}!`],
]

/** Microseconds in which nothing quadratic could be done that matters. */
const FAST = 40_000

for (const [family, text] of [...repeated, ...halved]) {
  test(`${JSON.stringify(family)} takes time in proportion to its length`, () => {
    const isFast = leastCpuTime(text(20_000), 1) < FAST
    const isLinear =
      isFast || [1, 2, 3, 4].some(() => leastCpuTime(text(20_000), 3) < 2.6 * leastCpuTime(text(10_000), 3))

    assert.ok(isLinear)
  })
}

/** Microseconds of CPU, the least of some runs, so that what else the machine does counts little. */
function leastCpuTime(text: string, tries: number): number {
  const runs = Array.from({ length: tries }, () => {
    const before = process.cpuUsage()
    renderMarkdown(text, scope)
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...runs)
}
