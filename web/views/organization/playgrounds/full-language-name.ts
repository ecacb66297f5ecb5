import { call } from '../../../api/call.ts'
import { decodeEntities } from '../../../ui/message-html/decode-entities.ts'
import { type HtmlNode, parseHtml } from '../../../ui/message-html/parse-html.ts'

/** Returns the name that the server uses for a language, such as `Python` for `py`. */
export async function fullLanguageName(name: string): Promise<string> {
  const { rendered } = await call('POST /messages/render', { content: `\`\`\`${name}\nx\n\`\`\`` })
  return languageIn(parseHtml(rendered, decodeEntities)) ?? name
}

function languageIn(nodes: readonly HtmlNode[]): string | undefined {
  const elements = nodes.filter((node) => typeof node !== 'string')
  return elements.map(({ attributes, children }) => attributes.get('data-code-language') ?? languageIn(children))[0]
}
