import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { checkMessages } from '../tools/check-messages.ts'
import { readSources } from '../tools/source-files.ts'
import { HELP_OF_SECTION, HELP_SECTIONS } from '../web/help/sections.ts'
import { type HelpNode, parseHelpPage } from '../web/help-pages.ts'

const ROOT = path.join(import.meta.dirname, '..')
const FOLDER = path.join(ROOT, 'web/help/pages')

const pages = new Map(
  readdirSync(FOLDER).map((file) => [
    path.basename(file, '.md'),
    parseHelpPage(readFileSync(path.join(FOLDER, file), 'utf8')),
  ]),
)

type Element = Exclude<HelpNode, string>

const elementsIn = (nodes: readonly HelpNode[]): Element[] =>
  nodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...elementsIn(node.children)]))

test('every help page is listed once, and links only to other pages', () => {
  assert.deepEqual(HELP_SECTIONS.flatMap((section) => section.pages).sort(), [...pages.keys()].sort())
  for (const [name, { body }] of pages)
    for (const { href } of elementsIn(body))
      if (href !== undefined) assert.ok(pages.has(href) && href !== name, `${name} links to ${href}`)
})

test('every picture of a help page is small, in both themes, and used', () => {
  const folder = path.join(ROOT, 'web/help/pictures')
  const shown = [...pages.values()].flatMap(({ body }) => elementsIn(body)).flatMap(({ src }) => src ?? [])

  assert.deepEqual(readdirSync(folder), shown.flatMap((name) => [`${name}-dark.webp`, `${name}-light.webp`]).sort())
  for (const file of readdirSync(folder)) assert.ok(statSync(path.join(folder, file)).size <= 40 * 1024, file)
})

test('settings lead to help pages that exist', () => {
  for (const name of Object.values(HELP_OF_SECTION).flatMap(Object.values)) assert.ok(pages.has(name), name)
})

test('every label in bold on a help page is a label of the interface', async () => {
  const { messages } = checkMessages(await readSources(ROOT))
  const texts = new Set(
    messages.filter(({ file }) => file.startsWith('web/')).map(({ text }) => text.replace(/ ?<soft>.*<\/soft>$/, '')),
  )
  // The number of invitations is part of this one.
  texts.add('Send invitation')
  const unknown = [...pages].flatMap(([name, { body }]) =>
    elementsIn(body)
      .filter(({ tag, children }) => tag === 'strong' && !texts.has(children.join('')))
      .map(({ children }) => `${name}: ${children.join('')}`),
  )

  assert.deepEqual(unknown, [])
})

test('pages are parsed into titles, summaries and elements', () => {
  assert.deepEqual(parseHelpPage('# A\n\nWhen?\n\n1. Press *C* in\n   **Inbox**.\n\n[b](b)\n'), {
    title: 'A',
    summary: 'When?',
    body: [
      {
        tag: 'ol',
        children: [
          {
            tag: 'li',
            children: [
              'Press ',
              { tag: 'em', children: ['C'] },
              ' in',
              ' ',
              { tag: 'strong', children: ['Inbox'] },
              '.',
            ],
          },
        ],
      },
      { tag: 'p', children: [{ tag: 'a', href: 'b', children: ['b'] }] },
    ],
  })
  assert.throws(() => parseHelpPage('No title'), /begins with a title/)
})
