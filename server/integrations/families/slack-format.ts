import { z } from 'zod'
import {
  bareLink,
  blockText,
  bold,
  code,
  codeBlock,
  convertMarkup,
  decodeEntities,
  emphasis,
  heading,
  inline,
  join,
  lines,
  link,
  type Markdown,
  type MarkdownValue,
  md,
  paragraphs,
  plainText,
  quoteOf,
  time,
} from '../markdown.ts'

// Messages in the format of Slack: text in its dialect (`mrkdwn`), attachments, and blocks. Mentions of people, channels
// and groups become their names, because their ids mean nothing here; no user is notified. All mentions of everybody in a
// channel or workspace are shown as @all.

const TOKENS = /```([\s\S]+?)```|`([^`\n]+)`|<([^<>\n]{1,2500})>|(:[a-z0-9_+-]{1,60}:)/g

const MARKS = [
  [emphasis('*'), '**'],
  [emphasis('_'), '*'],
  [emphasis('~'), '~~'],
] as const

/** Matches lines that begin with `>`, the quotes of Slack, and blocks of code, in which there are none. */
const QUOTES = /(```[\s\S]+?```)|((?:^(?:&gt;|>)[^\n]*(?:\n|$))+)/gm

/** Returns text of Slack's dialect as Markdown. */
export function slackText(text: string | null | undefined): Markdown {
  const given = blockText(text ?? '')
  const parts: Markdown[] = []
  let at = 0
  for (const { 0: match, 2: quoted, index } of given.matchAll(QUOTES)) {
    if (quoted === undefined) continue
    const inside = quoted.replace(/^(?:&gt;|>)[ ]?/gm, '')
    parts.push(slackParagraphs(given.slice(at, index)), quoteOf(slackParagraphs(inside)))
    at = index + match.length
  }
  return paragraphs(...parts, slackParagraphs(given.slice(at)))
}

function slackParagraphs(text: string): Markdown {
  return convertMarkup(text, {
    token: TOKENS,
    convert(_, block, monospaced, angled, emoji) {
      if (block !== undefined) return md`\n${codeBlock(decodeEntities(block))}\n`
      if (monospaced !== undefined) return code(decodeEntities(monospaced))
      return emoji === undefined ? angledText(decodeEntities(angled ?? '')) : { markdown: emoji }
    },
    marks: MARKS,
    decode: decodeEntities,
  })
}

/** A mention of everybody, as text. */
const EVERYBODY: Markdown = { markdown: '&#64;**all**' }

/** Returns what stands between `<` and `>`: a link, a mention or a date. */
function angledText(inside: string): Markdown {
  const bar = inside.indexOf('|')
  const [target, label] = bar === -1 ? [inside, ''] : [inside.slice(0, bar), inside.slice(bar + 1)]
  const [sign = ''] = target
  if (sign === '#' && label !== '') return bold(`#${label.replace(/^#/, '')}`)
  if (sign === '@' || sign === '#') return inline(label === '' ? target : `${sign}${label.replace(/^@/, '')}`)
  const date = /^!date\^(\d{1,12})\^/.exec(target)?.[1]
  if (date !== undefined) return time(Number(date))
  if (/^!(?:channel|here|everyone)$/.test(target)) return EVERYBODY
  if (target.startsWith('!')) return inline(label === '' ? `@${target.slice(1).split('^', 1)[0]}` : label)
  return label === '' ? bareOrText(target) : link(label, target)
}

const bareOrText = (target: string) => {
  const address = bareLink(target.replace(/^mailto:/, ''))
  return address.markdown === '' ? inline(target.replace(/^mailto:/, '')) : address
}

const string = z.union([z.string(), z.number()]).transform(String).nullish()
const textObject = z.object({ type: string, text: string })
type TextObject = z.output<typeof textObject>

const leaf = z.object({
  type: string,
  text: z.union([textObject, z.string()]).nullish(),
  url: string,
  image_url: string,
  alt_text: string,
  name: string,
  user_id: string,
  channel_id: string,
  range: string,
  style: z.unknown().optional(),
})
type Leaf = z.output<typeof leaf>

/** An element of a block: a text, a picture, a button, or a section of rich text, whose lists contain sections. */
const element = leaf.extend({
  elements: z.array(leaf.extend({ elements: z.array(leaf).nullish() })).nullish(),
})
type Element = z.output<typeof element>

const block = z.object({
  type: z.string(),
  text: z.union([textObject, z.string()]).nullish(),
  title: z.union([textObject, z.string()]).nullish(),
  fields: z.array(textObject).nullish(),
  accessory: element.nullish(),
  image_url: string,
  alt_text: string,
  elements: z.array(element).nullish(),
})
type SlackBlock = z.output<typeof block>

const attachment = z.object({
  title: string,
  title_link: string,
  pretext: string,
  text: string,
  fallback: string,
  author_name: string,
  author_link: string,
  fields: z.array(z.object({ title: string, value: string })).nullish(),
  image_url: string,
  thumb_url: string,
  footer: string,
  ts: z.union([z.number(), z.string()]).nullish(),
  blocks: z.array(block).nullish(),
  actions: z.array(leaf).nullish(),
})

/** A message as programs post it to an incoming webhook of Slack. */
export const slackMessage = z.object({
  text: string,
  channel: string,
  icon_emoji: string,
  username: string,
  blocks: z.array(block).nullish(),
  attachments: z.array(attachment).nullish(),
})

function fromTextObject(value: TextObject | string | null | undefined): Markdown {
  if (value === null || value === undefined) return md``
  if (typeof value === 'string') return slackText(value)
  return value.type === 'plain_text' ? plainText(value.text) : slackText(value.text)
}

const image = ({ image_url: url, alt_text: text }: Pick<Leaf, 'image_url' | 'alt_text'>) => link(text || 'Image', url)

const textOf = (text: Leaf['text']) => (typeof text === 'string' ? text : text?.text)

/** Returns a button as a link; nothing for one without a link, which only Slack can handle. */
const button = ({ text, url }: Pick<Leaf, 'text' | 'url'>) => (url ? link(textOf(text) || 'Open', url) : md``)

const textStyle = z.object({ bold: z.boolean(), italic: z.boolean(), strike: z.boolean(), code: z.boolean() }).partial()

/** Returns a text within a paragraph of rich text, with the spaces and line breaks at its ends. */
function styledText(text: string, style: unknown): Markdown {
  const words = text.trim()
  const before = text.slice(0, text.length - text.trimStart().length)
  const after = text.slice(text.trimEnd().length)
  const { bold: isBold, italic, strike, code: isCode } = textStyle.safeParse(style).data ?? {}
  const spaces = (given: string): Markdown => ({ markdown: given.includes('\n') ? '\n' : given && ' ' })
  if (words === '') return spaces(before + after)
  let styled = isCode ? code(words) : plainText(words)
  if (strike) styled = { markdown: `~~${styled.markdown}~~` }
  if (italic) styled = { markdown: `*${styled.markdown}*` }
  return md`${spaces(before)}${isBold ? bold(styled) : styled}${spaces(after)}`
}

/** Returns an element of a rich text. */
function richText({ type, text, url, name, user_id: user, channel_id: channel, range, style }: Leaf): Markdown {
  const words = typeof text === 'string' ? text : ''
  switch (type) {
    case 'link':
      return words === '' ? bareOrText(url ?? '') : link(words, url)
    case 'emoji':
      return { markdown: /^[a-z0-9_+-]+$/.test(name ?? '') ? `:${name}:` : '' }
    case 'user':
      return md`@${user}`
    case 'channel':
      return md`#${channel}`
    case 'broadcast':
      return range === 'channel' || range === 'here' || range === 'everyone' ? EVERYBODY : md`@${range}`
    default:
      return styledText(words, style)
  }
}

/** Returns elements of a line. One that ends with `@`, `#` or `]` must not mention or link what follows it. */
const richLine = (elements: readonly Leaf[]): Markdown => ({
  markdown: elements.map((one) => richText(one).markdown.replace(/[@#](?=_?$)|\]$/, inEntities)).join(''),
})

const inEntities = (character: string) => `&#${character.charCodeAt(0)};`

function richBlock(sections: readonly Element[]): Markdown {
  return paragraphs(
    ...sections.map(({ type, style, elements }) => {
      const parts = elements ?? []
      if (type === 'rich_text_list')
        return lines(
          ...parts.map((one, at): MarkdownValue => {
            const item = richLine(one.elements ?? [one])
            return style === 'ordered' ? md`${at + 1}. ${item}` : md`* ${item}`
          }),
        )
      if (type === 'rich_text_preformatted')
        return codeBlock(parts.map(({ text }) => (typeof text === 'string' ? text : '')).join(''))
      const text = richLine(parts)
      return type === 'rich_text_quote' ? quoteOf(text) : text
    }),
  )
}

/** Returns a text of a context. Its type is beside its text. */
const contextText = ({ type = null, text }: Leaf) =>
  typeof text === 'string' ? fromTextObject({ type, text }) : fromTextObject(text)

function slackBlocks(blocks: readonly SlackBlock[]): Markdown {
  return paragraphs(
    ...blocks.map((block) => {
      switch (block.type) {
        case 'header':
          return heading(inline(typeof block.text === 'string' ? block.text : block.text?.text))
        case 'section':
          return paragraphs(
            fromTextObject(block.text),
            ...(block.fields ?? []).map(fromTextObject),
            block.accessory && (block.accessory.type === 'image' ? image(block.accessory) : button(block.accessory)),
          )
        case 'context':
          return join(
            (block.elements ?? []).map((one) => (one.type === 'image' ? image(one) : contextText(one))),
            ' | ',
          )
        case 'actions':
          return join((block.elements ?? []).map(button), ' | ')
        case 'image':
          return image({ image_url: block.image_url, alt_text: block.alt_text })
        case 'divider':
          return { markdown: '---' }
        case 'rich_text':
          return richBlock(block.elements ?? [])
        case 'markdown':
          return fromTextObject(block.text)
        default:
          return md``
      }
    }),
  )
}

function slackAttachment(given: z.output<typeof attachment>): Markdown {
  const title = given.title || given.title_link ? link(given.title, given.title_link) : null
  const content = paragraphs(
    slackText(given.pretext),
    link(given.author_name, given.author_link),
    heading(title),
    slackText(given.text),
    ...(given.fields ?? []).map(({ title, value }) =>
      title && value ? md`${bold(title)}: ${slackText(value)}` : title ? bold(title) : slackText(value),
    ),
    slackBlocks(given.blocks ?? []),
    given.image_url && link('Image', given.image_url),
    given.thumb_url && link('Image', given.thumb_url),
    join((given.actions ?? []).map(button), ' | '),
    join([given.footer, given.ts !== null && given.ts !== undefined && time(Number(given.ts))], ' | '),
  )
  return content.markdown === '' ? slackText(given.fallback) : content
}

/** Returns the content of a message. Its blocks replace its text. */
export function slackContent({ text, icon_emoji: icon, blocks, attachments }: z.output<typeof slackMessage>): Markdown {
  const fromBlocks = slackBlocks(blocks ?? [])
  const emoji = /^:[a-z0-9_+-]{1,60}:$/.test(icon ?? '') ? `${icon} ` : ''
  const own = fromBlocks.markdown !== '' || !text ? fromBlocks : md`${{ markdown: emoji }}${slackText(text)}`
  return paragraphs(own, ...(attachments ?? []).map(slackAttachment))
}
