import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { renderMarkdown } from './render.ts'
import { emptyScope, type RenderScope } from './scope.ts'

const reference = path.resolve(import.meta.dirname, '../../../shared/reference/markdown-cases.json')
const skip = !existsSync(reference) && `${reference} is absent`

type Cases = {
  regular_tests: { name: string; input: string; expected_output: string; translate_emoticons?: boolean }[]
  linkify_tests: [input: string, expected: string, url: string][]
}

const scope: RenderScope = {
  ...emptyScope,
  realmUrl: 'http://zulip.testserver',
  findUserById: (id) => (id === 7 ? { id, fullName: 'Zoe' } : null),
  findCustomEmoji: (name) =>
    name === 'zulip' ? { url: '/static/generated/emoji/images/emoji/unicode/zulip.png' } : null,
}

/** Previews of media, formulas and coloured code are not rendered. */
const UNMET = [
  'inline_image',
  'two_inline_images',
  'bulleted_list_inlining',
  'only_inline_image',
  'only_named_inline_video',
  'tex_inline',
  'tex_fenced_math',
  'tex_fenced_latex',
  'tex_inline_permissive_spacing',
  'tex_safe_script_tag',
  'tex_error_safe_script_tag',
  'tex_display_no_markdown_inside',
  'tex_display_error_no_markdown_inside',
  'codeblock_hilite_shebang_feature_no_path_1',
  'codeblock_hilite_shebang_feature_with_path',
  'codeblock_hilite_startinline_php',
]

test('messages come out as clients know them, byte for byte', { skip }, () => {
  const { regular_tests: cases } = readCases()

  const unmet = cases.filter(
    ({ input, expected_output: expected, translate_emoticons: translateEmoticons = false }) => {
      return renderMarkdown(input, { ...scope, translateEmoticons }).html !== expected
    },
  )

  assert.deepEqual(
    unmet.map(({ name }) => name),
    UNMET,
  )
})

test('addresses are linked as clients know them', { skip }, () => {
  const { linkify_tests: cases } = readCases()

  const unmet = cases.filter(([input, expected, url]) => {
    const linked = expected.replace('%s', () => `<a href="${hrefOf(url)}">${url}</a>`)
    return renderMarkdown(input, scope).html !== linked
  })

  assert.deepEqual(unmet, [])
})

function readCases(): Cases {
  return JSON.parse(readFileSync(reference, 'utf8'))
}

function hrefOf(url: string): string {
  if (/^https?:/.test(url)) return url
  return url.includes('@') ? `mailto:${url}` : `http://${url}`
}
