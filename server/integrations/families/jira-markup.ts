import {
  code,
  codeBlock,
  convertMarkup,
  emphasis,
  inline,
  link,
  type Markdown,
  md,
  plainText,
  quoteOf,
} from '../markdown.ts'

const TOKENS =
  /\{(?:code(?::[\w=|.-]{0,80})?|noformat)\}([\s\S]{0,8000}?)\{(?:code|noformat)\}|\{quote\}([\s\S]{0,8000}?)\{quote\}|\{\{([^{}\n]{1,500})\}\}|\[~(?:accountid:)?([^\]\n]{1,200})\]|\[(?:([^[\]|\n]{1,500})\|)?((?:https?:\/\/|mailto:)[^[\]|\s]{1,2000})(?:\|[^[\]\n]{0,100})?\]/g

/** Returns text with the markup of Jira as Markdown. */
export function jiraText(text: string | null | undefined): Markdown {
  return convertMarkup((text ?? '').replace(/\\([!*_{}[\]~-])/g, '$1'), {
    token: TOKENS,
    convert(_, block, quoted, monospaced, person, label, url) {
      if (block !== undefined) return md`\n${codeBlock(block.trim())}\n`
      if (quoted !== undefined) return md`\n${quoteOf(plainText(quoted.trim()))}\n`
      if (monospaced !== undefined) return code(monospaced)
      if (person !== undefined) return inline(`@${person}`)
      return link(label ?? null, url)
    },
    marks: [
      [emphasis('*'), '**'],
      [emphasis('_'), '*'],
    ],
    decode: (words) => words.replace(/^h[1-6]\. /gm, ''),
  })
}
