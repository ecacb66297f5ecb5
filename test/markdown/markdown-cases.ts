import { createSecretKey } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { externalContentPath } from '#lib/external-content-address.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { renderers } from '#markdown/renderers/renderers.ts'
import { emptyScope, type RenderScope } from '#markdown/scope.ts'

const markdownCasesFile = path.resolve(import.meta.dirname, '../../../shared/reference/markdown-cases.json')

/** The reason why the cases cannot be compared; false if they can. */
export const markdownCasesAbsent: string | false = !existsSync(markdownCasesFile) && `${markdownCasesFile} is absent`

type MarkdownCase = { name: string; input: string; expected: string; translatesEmoticons: boolean }

type CasesFile = {
  regular_tests: { name: string; input: string; expected_output: string; translate_emoticons?: boolean }[]
  linkify_tests: [input: string, expected: string, url: string][]
}

const externalContentKey = { secret: createSecretKey(Buffer.alloc(32)), privateHosts: [] }

const scope: RenderScope = {
  ...emptyScope,
  externalContentKey,
  writers: renderers,
  realmUrls: ['http://zulip.testserver'],
  findUserById: (id) => (id === 7 ? { id, fullName: 'Zoe' } : null),
  findCustomEmoji: (name) =>
    name === 'zulip' ? { url: '/static/generated/emoji/images/emoji/unicode/zulip.png' } : null,
}

/** Returns the renderings that clients of the protocol expect. */
export function readMarkdownCases(): MarkdownCase[] {
  const { regular_tests: messages, linkify_tests: links } = JSON.parse(
    readFileSync(markdownCasesFile, 'utf8'),
  ) as CasesFile
  return [
    ...messages.map(({ name, input, expected_output: expected, translate_emoticons: translatesEmoticons = false }) => {
      return { name, input, expected: withOwnProxy(expected), translatesEmoticons }
    }),
    ...links.map(([input, expected, url]) => {
      const link = `<a href="${hrefOf(url)}">${url}</a>`
      return {
        name: `link in ${input}`,
        input,
        expected: expected.replace('%s', () => link),
        translatesEmoticons: false,
      }
    }),
  ]
}

export function renderCase({ input, translatesEmoticons }: MarkdownCase): string {
  return renderMarkdown(input, { ...scope, translateEmoticons: translatesEmoticons }).html
}

function hrefOf(url: string): string {
  if (/^https?:/.test(url)) return url
  return url.includes('@') ? `mailto:${url}` : `http://${url}`
}

/** Replaces the addresses of the reference server's proxy, which end in the original address in hex. */
function withOwnProxy(html: string): string {
  const proxied = /https:\/\/external-content\.zulipcdn\.net\/external_content\/[0-9a-f]+\/([0-9a-f]+)/g
  return html.replace(proxied, (_, hex) =>
    String(externalContentPath(externalContentKey, Buffer.from(hex, 'hex').toString())),
  )
}
