import type { AnswerOf } from '../../api/call.ts'
import type { HtmlNode } from '../../message-html/parse-html.ts'
import { t } from '../../text/t.ts'

export type Version = AnswerOf<'GET /messages/{message_id}/history'>['message_history'][number]

/** A version of a message, and the kinds of changes in it. The first version is the message as it was sent. */
export type Revision = Version & { readonly kinds: readonly Kind[] }

export type Kind = 'sent' | 'text' | 'topic' | 'channel'

/** Returns the history of a message, newest first; `versions` are oldest first. */
export function toRevisions(versions: readonly Version[]): Revision[] {
  return versions
    .map((version, at) => {
      const kinds: Kind[] = [
        ...(at === 0 ? (['sent'] as const) : []),
        ...(version.prev_content !== undefined ? (['text'] as const) : []),
        ...(version.prev_topic !== undefined ? (['topic'] as const) : []),
        ...(version.prev_stream !== undefined ? (['channel'] as const) : []),
      ]
      return { ...version, kinds }
    })
    .reverse()
}

const WORDS: Readonly<Record<string, [before: string, after: string]>> = {
  highlight_text_inserted: [` ${t('inserted:')} `, ` ${t('end of insertion')} `],
  highlight_text_deleted: [` ${t('deleted:')} `, ` ${t('end of deletion')} `],
}

/** Adds text for screen readers to highlighted differences. */
export function withWords(nodes: readonly HtmlNode[]): HtmlNode[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return node
    const children = withWords(node.children)
    const text = WORDS[node.attributes.get('class') ?? '']
    if (text === undefined) return { ...node, children }
    return { ...node, children: [hidden(text[0]), ...children, hidden(text[1])] }
  })
}

const hidden = (text: string): HtmlNode => ({
  tag: 'span',
  attributes: new Map([['class', 'visually-hidden']]),
  children: [text],
})
